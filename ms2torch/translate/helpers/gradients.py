"""Gradients as values."""

import torch


def value_and_grad(function, weights, has_aux=False):
    """A function that gives what ``function`` gives, and its gradients by the weights."""

    def run(*inputs):
        value = function(*inputs)
        values = value if isinstance(value, tuple) else (value,)
        found = torch.autograd.grad(values[0], weights, torch.ones_like(values[0]), materialize_grads=True)
        rest = tuple(v.detach() if torch.is_tensor(v) else v for v in values)
        return rest if isinstance(value, tuple) else rest[0], found

    return run


def grad_by_weights(function, weights):
    """A function that gives the gradients of ``function`` by the weights."""

    def run(*inputs):
        value = function(*inputs)
        loss = value[0] if isinstance(value, tuple) else value
        return torch.autograd.grad(loss, weights, torch.ones_like(loss), materialize_grads=True)

    return run


def own_gradient(forward):
    """A ``forward`` whose gradients the module's ``bprop(*inputs, output, gradient)`` gives."""

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(context, module, *inputs):
            found = forward(module, *inputs)
            context.module, context.single = module, not isinstance(found, tuple)
            context.save_for_backward(*inputs, *((found,) if context.single else found))
            return found

        @staticmethod
        def backward(context, *gradients):
            saved, count = context.saved_tensors, len(gradients)
            output, gradient = (saved[-1], *gradients) if context.single else (saved[-count:], gradients)
            found = context.module.bprop(*saved[:-count], output, gradient)
            return None, *(found if isinstance(found, tuple) else (found,))

    return lambda module, *inputs: Function.apply(module, *inputs)


def differentiable(x):
    """A tensor to differentiate by: one that stands for ``x`` alone, in a derivative of a derivative too."""
    return x.view_as(x) if x.requires_grad else x.detach().requires_grad_()


def value_and_input_grad(function, position=0, has_aux=False):
    """A function that gives what ``function`` gives, and its gradient by the input at ``position``."""
    places = position if isinstance(position, tuple) else (position,)

    def run(*inputs):
        inputs = [differentiable(x) if i in places else x for i, x in enumerate(inputs)]
        value = function(*inputs)
        loss = value[0] if isinstance(value, tuple) else value
        by = [inputs[i] for i in places]
        ones = torch.ones_like(loss)
        gradients = torch.autograd.grad(loss, by, ones, create_graph=True, materialize_grads=True)
        return value, gradients if isinstance(position, tuple) else gradients[0]

    return run


def input_grad(function, position=0):
    """A function that gives the gradient of ``function`` by the input at ``position``."""
    run = value_and_input_grad(function, position)
    return lambda *inputs: run(*inputs)[1]


def gradients_of(function, weights=None, inputs=None, sens=False):
    """A function that gives the gradients of ``function`` by its "first" or "all" inputs, weights, or both.

    Both are a pair. With ``sens`` its last argument is the gradient that it starts from.
    """

    def run(*given):
        *args, start = given if sens else (*given, None)
        if inputs:
            real = [torch.is_tensor(x) and x.is_floating_point() for x in args]
            args = [differentiable(x) if r else x for x, r in zip(args, real)]
        by = [x for x in args if inputs and torch.is_tensor(x) and x.requires_grad]
        by = by[:1] if inputs == "first" else by
        values = function(*args)
        values = values if isinstance(values, tuple) else (values,)
        starts = start if isinstance(start, tuple) else (start,) if sens else map(torch.ones_like, values)
        starts = [s.reshape(v.shape).to(v.dtype) for s, v in zip(starts, values)]
        found = torch.autograd.grad(
            values, [*by, *(weights or ())], starts, create_graph=bool(inputs), materialize_grads=True
        )
        first, rest = found[: len(by)], found[len(by) :]
        first = first[0] if inputs == "first" else first
        return (first, rest) if inputs and weights else first if inputs else rest

    return run


def ordered(optimizer, parameters):
    """An optimizer whose gradients are given in the order of these parameters, whatever its groups."""
    optimizer.order = list(parameters)
    return optimizer


def in_order(optimizer):
    """What an optimizer moves, in the order of the gradients that it is given."""
    grouped = [p for group in optimizer.param_groups for p in group["params"]]
    return getattr(optimizer, "order", grouped)


def apply_gradients(optimizer, gradients):
    """One step of an optimizer with these gradients, one for each of its parameters in order."""
    grouped = [p for group in optimizer.param_groups for p in group["params"]]
    parameters = getattr(optimizer, "order", grouped)
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.detach() * (1.0 / getattr(optimizer, "loss_scale", 1.0))
    optimizer.step()
    optimizer.zero_grad()
