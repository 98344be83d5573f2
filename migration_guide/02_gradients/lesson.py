"""Gradients compared: PyTorch's tape and MindSpore's gradient functions, number by number.

    python -m ms2torch migration_guide/02_gradients/lesson.py
"""

# %% networks
import mindspore as ms
import torch
from mindspore import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 1, has_bias=False)
        self.loss = nn.MSELoss()
        self.runs = 0

    def construct(self, x, y):
        self.runs += 1
        logits = self.fc(x).squeeze()
        return self.loss(logits, y), logits


net = Net()
net.fc.weight.set_data(ms.Tensor([[2, 3, 4]], ms.float32))
x, y = ms.Tensor([[1, 2, 3]], ms.float32), ms.Tensor(19, ms.float32)

torch_net = torch.nn.Linear(3, 1, bias=False)
torch_net.weight.data = torch.tensor([[2.0, 3.0, 4.0]])
tx = torch.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
ty = torch.tensor(19.0, requires_grad=True)


def torch_loss():
    logits = torch_net(tx).squeeze()
    return torch.nn.functional.mse_loss(logits, ty), logits


print(*net(x, y))

# %% tape
loss, _ = torch_loss()
loss.backward()
print("PyTorch:  ", tx.grad)

gradient, _ = ms.grad(net, has_aux=True)(x, y)
print("MindSpore:", gradient)


# %% check first
assert gradient.asnumpy().tolist() == tx.grad.tolist() == [[4, 6, 8]]


# %% helpers
def numbers(value):
    """Nested tuples of tensors of either framework as plain numbers."""
    return tuple(map(numbers, value)) if isinstance(value, tuple) else value.tolist()


def cell(value):
    return f"`{value}`".replace(".0", "")


# %% rows
weights = net.trainable_params()
documented = {  # the figures of MindSpore's own migration guide
    (0, None): [[4.0, 6.0, 8.0]],
    (1, None): -2.0,
    ((0, 1), None): ([[4.0, 6.0, 8.0]], -2.0),
    (None, "weights"): ([[2.0, 4.0, 6.0]],),
    (0, "weights"): ([[4.0, 6.0, 8.0]], ([[2.0, 4.0, 6.0]],)),
    ((0, 1), "weights"): (([[4.0, 6.0, 8.0]], -2.0), ([[2.0, 4.0, 6.0]],)),
}
torch_inputs = {0: "tx", 1: "ty", (0, 1): "tx, ty", None: ""}

print("| `grad_position` | `weights` | MindSpore | documented | `autograd.grad(loss, [...])` | PyTorch |")
print("|---|---|---|---|---|---|")
for (position, which), expected in documented.items():
    function = ms.grad(net, position, weights if which else None, has_aux=True)
    found = numbers(function(x, y)[0])
    asked = ", ".join(filter(None, [torch_inputs[position], "w" if which else ""]))
    tensors = eval(f"[{asked}]", {"tx": tx, "ty": ty, "w": torch_net.weight})
    torch_found = numbers(torch.autograd.grad(torch_loss()[0], tensors))
    columns = [cell(found), cell(expected), f"`[{asked}]`", cell(torch_found)]
    print(f"| `{position}` | `{which}` |", " | ".join(columns), "|")
    assert found == expected

# %% nothing
try:
    ms.grad(net, None, None, has_aux=True)(x, y)
except ValueError as error:
    print(f"ValueError: {error}")

# %% outputs
print(ms.grad(net)(x, y))


# %% typo
def two(x, y):
    return x**2 + y, x


a, b = ms.Tensor(1.0), ms.Tensor(2.0)
print("to x:", ms.grad(two, 0)(a, b), " to y:", ms.grad(two, 1)(a, b))

ta, tb = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
torch.autograd.backward(two(ta, tb))
print("PyTorch, both outputs in one backward pass:", ta.grad, tb.grad)

# %% check typo
assert [float(ms.grad(two, i)(a, b)) for i in (0, 1)] == [3.0, 1.0] == [float(ta.grad), float(tb.grad)]
assert ms.grad(net)(x, y).asnumpy().tolist() == [[6, 9, 12]]

# %% value
net.runs = 0
(loss, logits), gradients = ms.value_and_grad(net, None, weights, has_aux=True)(x, y)
print(loss, logits, gradients[0], "forward passes:", net.runs)

# %% check value
assert net.runs == 1 and float(loss) == 1 and gradients[0].asnumpy().tolist() == [[2, 4, 6]]


# %% operation
def product(x, y):
    return x * x * y


p, q = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
print("| `GradOperation(...)` | gives | the same with `grad` |")
print("|---|---|---|")
for flags, arguments, modern in [
    ("", (p, q), "grad(fn)"),
    ("get_all=True", (p, q), "grad(fn, (0, 1))"),
    ("sens_param=True", (p, q, ms.Tensor([1.0, 10.0])), "vjp(fn, x, y)[1](sens)[0]"),
]:
    operation = eval(f"ops.GradOperation({flags})")
    print(f"| {flags and cell(flags)} | {cell(numbers(operation(product)(*arguments)))} | `{modern}` |")
inner = nn.Dense(2, 1, weight_init="ones", has_bias=False)
for flags, modern in [
    ("get_by_list=True", "grad(fn, None, weights)"),
    ("get_all=True, get_by_list=True", "grad(fn, (0, ...), weights)"),
]:
    operation = eval(f"ops.GradOperation({flags})")
    found = operation(inner, ms.ParameterTuple(inner.trainable_params()))(ms.Tensor([[5.0, 7.0]]))
    print(f"| `{flags}` | {cell(numbers(found))} | `{modern}` |")

# %% check operation
assert numbers(ops.GradOperation()(product)(p, q)) == [6, 16]
assert numbers(ops.GradOperation(get_all=True)(product)(p, q)) == ([6, 16], [1, 4])
assert numbers(ms.vjp(product, p, q)[1](ms.Tensor([1.0, 10.0]))[0]) == [6, 160]
assert numbers(found) == (([[1, 1]],), ([[5, 7]],))

# %% sensitivity
t = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    (t**3).backward()
except RuntimeError as error:
    print("PyTorch:  ", error)
(t**3).backward(torch.tensor([1.0, 10.0]))
print("PyTorch:  ", t.grad, "with a gradient of [1, 10] given")

v = ms.Tensor([1.0, 2.0])
print("MindSpore:", ms.grad(lambda v: v**3)(v), "for ones")
weighted = ops.GradOperation(sens_param=True)(lambda v: v**3)
print("MindSpore:", weighted(v, ms.Tensor([1.0, 10.0])), "for [1, 10]")

# %% check sensitivity
assert t.grad.tolist() == [3, 120] and numbers(ms.grad(lambda v: v**3)(v)) == [3, 12]

# %% orders
import numpy as np
from matplotlib.figure import Figure

grid = ms.Tensor(np.linspace(-3, 3, 121), ms.float32)
orders = [ops.tanh]
for _ in range(3):
    orders.append(ms.grad(orders[-1]))

figure = Figure((6, 3.2))
axes = figure.add_subplot()
for n, function in enumerate(orders):
    axes.plot(grid.asnumpy(), function(grid).asnumpy(), label=["tanh", "1st", "2nd", "3rd"][n])
axes.legend(frameon=False)
axes.grid(alpha=0.3)
print([float(function(ms.Tensor(0.5))) for function in orders])

# %% check orders
h = np.tanh(0.5)
exact = [h, 1 - h**2, -2 * h * (1 - h**2), (1 - h**2) * (6 * h**2 - 2)]
assert np.allclose([float(function(ms.Tensor(0.5))) for function in orders], exact, rtol=1e-5)

# %% accumulation
tx.grad = None
for _ in range(3):
    torch_loss()[0].backward()
    gradient, _ = ms.grad(net, has_aux=True)(x, y)
    print("PyTorch:", tx.grad.tolist(), "  MindSpore:", gradient.asnumpy().tolist())

# %% check accumulation
assert tx.grad.tolist() == [[12, 18, 24]]


# %% kept
def kept(run):
    """How many bytes autograd keeps for a backward pass while ``run`` runs."""
    sizes = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: sizes.append(t.nbytes) or t, lambda t: t):
        run()
    return sum(sizes)


big, torch_big = nn.Dense(100, 100), torch.nn.Linear(100, 100)
batch, torch_batch = ops.ones((1000, 100)), torch.ones(1000, 100)


def without_gradients():
    with torch.no_grad():
        torch_big(torch_batch)


print("PyTorch, forward:                ", kept(lambda: torch_big(torch_batch)))
print("PyTorch, forward under no_grad:  ", kept(without_gradients))
print("MindSpore, forward:              ", kept(lambda: big(batch)))
print("MindSpore, a gradient of it:     ", kept(lambda: ms.grad(big, None, big.trainable_params())(batch)))

# %% check kept
assert kept(without_gradients) == kept(lambda: big(batch)) == 0
assert kept(lambda: ms.grad(big, None, big.trainable_params())(batch)) > 0

# %% enable
with torch.no_grad():
    try:
        torch_loss()[0].backward()
    except RuntimeError as error:
        print("PyTorch:  ", error)
    print("MindSpore:", ms.grad(net, has_aux=True)(x, y)[0])

# %% retain
loss, _ = torch_loss()
loss.backward()
try:
    loss.backward()
except RuntimeError as error:
    print("PyTorch:  ", str(error).split(".")[0])

net.runs = 0
function = ms.grad(net, has_aux=True)
print("MindSpore:", function(x, y)[0], function(x, y)[0], "forward passes:", net.runs)

# %% check retain
assert net.runs == 2

# %% unused
unused = torch.tensor(1.0, requires_grad=True)
print("PyTorch:  ", torch.autograd.grad(torch_loss()[0], [unused], allow_unused=True))
print("MindSpore:", ms.grad(lambda x, unused: x * 2, 1)(ms.Tensor(3.0), ms.Tensor(1.0)))

# %% check unused
assert float(ms.grad(lambda x, unused: x * 2, 1)(ms.Tensor(3.0), ms.Tensor(1.0))) == 0
