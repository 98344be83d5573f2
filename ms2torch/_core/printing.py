"""How MindSpore prints tensors."""
def to_str(t):
    return str(t.detach().cpu().numpy())
def to_repr(t):
    return f"Tensor(shape={list(t.shape)}, value={t.detach().cpu().numpy()})"
