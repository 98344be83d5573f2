"""What a Cell is told about how it runs: to recompute, to compile, on which stage. Mixed into Cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ms2torch._core import mode
from ms2torch._core.errors import notice, unsupported
from ms2torch._core.processes import distributed

if TYPE_CHECKING:
    from .cell import Cell


# Keywords of `recompute`, and whether they must be bool.
_RECOMPUTING = {
    "mp_comm_recompute": True, "parallel_optimizer_comm_recompute": True, "recompute_slice_activation": False}


def _check_recomputing(given: dict) -> None:
    """TypeError or ValueError for a keyword of `recompute` that is no bool, or unknown."""
    for name, must_be_bool in _RECOMPUTING.items():
        if must_be_bool and not isinstance(given.get(name, True), bool):
            raise TypeError(f"The parameter '{name}' must be {bool}, but got {type(given[name])}")
    for name in given:
        if name not in _RECOMPUTING:
            raise ValueError(f"For 'recompute', keyword '{name}' is not recognized! the key kwargs must be "
                             "'mp_comm_recompute', 'parallel_optimizer_comm_recompute', "
                             "'recompute_slice_activation'")


class CellSettings:
    """The settings of a Cell; most tell MindSpore how to schedule, and are kept without effect."""

    # Read under this name by Cells that programs derive.
    _dynamic_shape_inputs = None

    def set_broadcast_flag(self, mode: bool = True) -> Cell:
        """Sets the flag of the compiler's name; it changes nothing here."""
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_boost(self, boost_type: str) -> Cell:
        """Mark this Cell and all below it for "less_bn", by which MindSpore's compiler leaves out
        normalisations on Ascend alone. ValueError for another name."""
        if boost_type != "less_bn":
            raise ValueError("For 'set_boost', the argument 'boost_type' must be 'less_bn', but got "
                             f"{boost_type}.")
        return self.add_flags_recursive(less_bn=True)

    def recompute(
        self, *, use_reentrant=True, output_recompute=False, early_stop=True, context_fn=None, **kwargs
    ) -> None:
        """Recompute this Cell's activations in the backward pass instead of keeping them (torch's
        checkpoint), and put "recompute_" before the scopes of all Cells inside. Keywords about communication
        and slices are looked at, and have no effect."""
        if output_recompute.__class__ is not bool:
            raise TypeError(f"The input value must be a bool, but got {type(output_recompute).__name__}.")
        if context_fn is not None and use_reentrant:
            raise ValueError("context_fn is only supported when use_reentrant=False.")
        _check_recomputing(kwargs)
        self.__dict__["_recompute"] = True
        self._mark_slow()
        if self._scope is None or not self._scope.startswith("recompute_"):
            self.add_flags(output_recompute=output_recompute)
        for _, cell in self.cells_and_names():
            if cell._scope is None or not cell._scope.startswith("recompute_"):
                cell._scope = f"recompute_{cell._scope or ''}"

    # Settings that tell MindSpore where or how to schedule, never what to compute.

    def set_comm_fusion(self, fusion_type, recurse: bool = True) -> Cell:
        """The fusion group that the parameters' gradients name; sums are the same."""
        for param in self.get_parameters(expand=recurse):
            param.comm_fusion = fusion_type
        return self

    def set_param_ps(self, recurse: bool = True, init_in_server: bool = False) -> None:
        """Marks the trainable parameters for a parameter server."""
        for param in self.trainable_params(recurse):
            param.set_param_ps(init_in_server)

    def set_jit_config(self, jit_config) -> None:
        """Keeps the compiler's settings, without effect."""
        self.__dict__["jit_config_dict"] = getattr(jit_config, "jit_config_dict", {})

    def set_auto_parallel(self) -> None:
        """A line says that the network runs data-parallel."""
        notice("cell.set_auto_parallel", "Cell.set_auto_parallel: the network runs data-parallel here.")

    def set_data_parallel(self) -> None:
        """Data parallelism is what there is."""

    def set_inputs(self, *inputs, **kwargs) -> None:
        """Shapes are always dynamic here; the inputs are kept for ``get_inputs``, and in graph mode calls
        are held against them (ValueError, TypeError). ValueError for a name that ``construct`` has not,
        TypeError in graph mode for too few or too many."""
        from ._described_inputs import described

        self.__dict__["_dynamic_shape_inputs"] = described(self.construct, inputs, kwargs)
        self._mark_slow()

    def get_inputs(self):
        """What ``set_inputs`` was given."""
        return self._dynamic_shape_inputs

    def compile(self, *args, **kwargs) -> None:
        """Have calls of this Cell compiled, where graphs are; the first call does it. Weights that strategies
        have in parts are in parts from now on, those of other stages of a pipeline are let go of."""
        self._mark_evaluated()
        if args and (mode.spreading is not None or distributed.staged()):
            from ..parallel._strategies import laid_out

            laid_out(self, self.network if hasattr(self, "optimizer") else self, args)

    @property
    def compile_cache(self) -> set:
        """MindSpore's compiled graphs; ms2torch keeps none."""
        return set()

    @property
    def phase_cache(self) -> dict:
        """MindSpore's compiled graphs by phase; ms2torch keeps none."""
        return {}

    def offload(self, backward_prefetch="Auto") -> None:
        """Moving activations to the host is not supported; recomputing them saves memory too."""
        raise unsupported(
            "mindspore.nn.Cell.offload",
            "activations are not moved to the host.",
            "call recompute() on the Cell, which saves the same memory.",
        )

    def compile_and_run(self, *args, **kwargs):
        """Calls the Cell."""
        return self(*args, **kwargs)

    def shard(self, in_strategy, out_strategy=None, parameter_plan=None, device="Ascend", level=0):
        """Says how inputs, outputs and parameters are laid out over the devices; gives the call that is."""
        from ms2torch.parallel._strategies import of_call

        return of_call(self, in_strategy, out_strategy, parameter_plan)

    @property
    def pipeline_stage(self) -> int:
        return self.__dict__.get("_pipeline_stage", 0)

    @pipeline_stage.setter
    def pipeline_stage(self, value) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(
                f"For 'Cell', the property 'pipeline_stage' must be int type, but got type : {type(value)}"
            )
        if value < 0:
            raise ValueError(
                f"For 'Cell', the property 'pipeline_stage' can not be less than 0, but got {value}"
            )
        self.__dict__["_pipeline_stage"] = value
        self._mark_slow()

    def _get_attr_from_cell(self, network) -> None:
        """Take over what a wrapped network was configured with."""
        if isinstance(network, CellSettings) and network.jit_config_dict:
            self.__dict__["jit_config_dict"] = network.jit_config_dict
        from ms2torch.nn.wrap import own_pipelines

        if own_pipelines.adds_up_micro_batches(self):
            self._mark_slow()
            self.__dict__["_micro_batched"] = True

    def flatten_weights(self, fusion_size: int = 0) -> None:
        """A memory layout hint; parameters keep their own storage here."""
