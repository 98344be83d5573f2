"""Gradients as values."""

import torch


def value_and_grad(function, weights, has_aux=False):
    """A function that gives what ``function`` gives, and its gradients by the weights."""

    def run(*inputs):
        value = function(*inputs)
        loss = value[0] if isinstance(value, tuple) else value
        return value, torch.autograd.grad(loss, weights, torch.ones_like(loss), materialize_grads=True)

    return run


def grad_by_weights(function, weights):
    """A function that gives the gradients of ``function`` by the weights."""

    def run(*inputs):
        value = function(*inputs)
        loss = value[0] if isinstance(value, tuple) else value
        return torch.autograd.grad(loss, weights, torch.ones_like(loss), materialize_grads=True)

    return run


def value_and_input_grad(function, position=0, has_aux=False):
    """A function that gives what ``function`` gives, and its gradient by the input at ``position``."""
    places = position if isinstance(position, tuple) else (position,)

    def run(*inputs):
        inputs = [x.detach().requires_grad_() if i in places else x for i, x in enumerate(inputs)]
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


def apply_gradients(optimizer, gradients):
    """One step of an optimizer with these gradients, one for each of its parameters in order."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    for parameter, gradient in zip(parameters, gradients):
        parameter.grad = gradient.detach() / getattr(optimizer, "loss_scale", 1.0)
    optimizer.step()
    optimizer.zero_grad()
