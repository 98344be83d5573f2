"""The distribution of a bijector's values (``...probability.distribution.TransformedDistribution``)."""

from __future__ import annotations

import torch

from ms2torch import _checkparam as check
from ms2torch._core.tensor.tensor import wrap

from .distribution import FLOATS, Distribution

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of y = f(x) for a bijector f and x of another distribution.

    NotImplementedError for the mean of a map whose Jacobian is not constant. TypeError for other kinds.
    """

    def __init__(self, bijector, distribution, seed=None, name="transformed_distribution") -> None:
        from ..bijector import Bijector

        check.check_value_type("bijector", bijector, [Bijector], type(self).__name__)
        check.check_value_type("distribution", distribution, [Distribution], type(self).__name__)
        check.check_type_name("dtype", distribution.dtype, FLOATS, type(self).__name__)
        super().__init__(seed, distribution.dtype, name, {"bijector": bijector, "distribution": distribution})
        self._bijector, self._distribution = bijector, distribution
        self._is_linear_transformation = bijector.is_constant_jacobian
        self._is_scalar_batch = distribution.is_scalar_batch and bijector.is_scalar_batch
        self._batch_shape = distribution.batch_shape

    @property
    def bijector(self):
        return self._bijector

    @property
    def distribution(self):
        return self._distribution

    @property
    def is_linear_transformation(self) -> bool:
        return self._is_linear_transformation

    def _cdf(self, value, *args, **kwargs):
        return self.distribution("cdf", self.bijector("inverse", value), *args, **kwargs)

    def _log_cdf(self, value, *args, **kwargs):
        return self._cdf(value, *args, **kwargs).log()

    def _survival_function(self, value, *args, **kwargs):
        return 1.0 - self._cdf(value, *args, **kwargs)

    def _log_survival(self, value, *args, **kwargs):
        return self._survival_function(value, *args, **kwargs).log()

    def _log_prob(self, value, *args, **kwargs):
        of_x = self.distribution("log_prob", self.bijector("inverse", value), *args, **kwargs)._t
        total = of_x + self.bijector("inverse_log_jacobian", value)._t
        return wrap(torch.where((of_x == float("-inf")) & total.isnan(), of_x, total))

    def _prob(self, value, *args, **kwargs):
        return self._log_prob(value, *args, **kwargs).exp()

    def _sample(self, *args, **kwargs):
        return self.bijector("forward", self.distribution("sample", *args, **kwargs))

    def _mean(self, *args, **kwargs):
        if not self.is_linear_transformation:
            raise ValueError("mean function must be implemented for non-linear transformation")
        return self.bijector("forward", self.distribution("mean", *args, **kwargs))
