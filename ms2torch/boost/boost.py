"""Which of boost's algorithms a training takes (``mindspore.boost.boost``)."""

from __future__ import annotations

from ms2torch._core.errors import unsupported

from .base import OptimizerProcess, ParameterProcess
from .grad_freeze import GradientFreeze
from .less_batch_normalization import LessBN

__all__ = ["AutoBoost"]

_ALGORITHMS = ("less_bn", "grad_freeze", "adasum", "grad_accumulation", "dim_reduce", "loss_scale_group")
_LEVELS = {"O0": (), "O1": ("less_bn", "grad_freeze"), "O2": ("less_bn", "grad_freeze", "adasum")}
_MODES = ["auto", "manual", "enable_all", "disable_all"]
# Settings that keep their names with a "_" before them; others are public.
_HIDDEN = ("fn_flag", "gc_flag", "param_groups", "freeze_type", "freeze_p", "total_steps")
_PUBLIC = ("device_number", "grad_accumulation_step", "rho", "gamma", "alpha", "sigma", "n_components",
           "pca_mat_path", "weight_load_dir", "timeout")


class AutoBoost:
    """The algorithms of ``level`` ("O0": none, "O1": less_bn and grad_freeze, "O2": adasum too) or of
    ``boost_config_dict`` (``mindspore.boost.AutoBoost``).

    There is one in a process: the first call decides, and later ones give it. ``boost_config_dict`` has a
    dict "boost" of switches with its "mode", and dicts of settings by algorithm, or "common". ValueError for
    a mode that is none.
    """

    _instance = None

    def __new__(cls, *args, **kwargs):
        if AutoBoost._instance is None:
            AutoBoost._instance = made = object.__new__(cls)
            made.level = made.boost_config_dict = None
        return AutoBoost._instance

    def __init__(self, level="O0", boost_config_dict="") -> None:
        if self.level is not None:
            return
        self.level = level if level in _LEVELS else "O0"
        self.boost_config_dict = boost_config_dict
        self._fn_flag = self._gc_flag = True
        self._param_groups, self._freeze_type, self._freeze_p, self._total_steps = 10, 1, 0.7, 65536
        self.gradient_groups, self.device_number, self.grad_accumulation_step = None, 8, 1
        self.rho, self.gamma, self.alpha, self.sigma, self.n_components = 0.55, 0.9, 0.001, 0.4, 32
        self.pca_mat_path = self.weight_load_dir = self.local_pca_mat_path = None
        self.timeout = 1800
        self.boost_config = self._configuration()
        self._param_processer = ParameterProcess()

    def _configuration(self) -> dict:
        switches = {name: name in _LEVELS[self.level] for name in _ALGORITHMS}
        given = self.boost_config_dict
        if not given:
            return switches
        wanted = given.get("boost", {})
        mode = wanted.get("mode", "auto")
        if mode not in _MODES:
            raise ValueError(f"The boost mode must be in {_MODES}, but got {mode}")
        if mode == "manual":
            switches.update((name, value) for name, value in wanted.items() if name in switches)
        elif mode != "auto":
            switches = dict.fromkeys(switches, mode == "enable_all")
        for algorithm, settings in given.items():
            if algorithm == "common" or switches.get(algorithm):
                for name, value in settings.items():
                    self._set(name, value)
        return switches

    def _set(self, name: str, value) -> None:
        if name in _HIDDEN:
            setattr(self, f"_{name}", value)
        elif name in _PUBLIC:
            setattr(self, name, value)
        elif name == "gradient_split_groups":
            if not isinstance(value, (list, int)):
                raise ValueError(f"gradient_groups `{value}` is not in (list, int)")
            self.gradient_groups = list(value)

    def network_auto_process_train(self, network, optimizer):
        """``(network, optimizer)`` as the algorithms make them for training; NotImplementedError for
        dim_reduce."""
        if self.boost_config["dim_reduce"]:
            raise unsupported("mindspore.boost.AutoBoost with dim_reduce", "MindSpore's devices leave each "
                              "other files of principal components.",
                              "boost.DimReduce on the components, in a training step of the program's.")
        if self.boost_config["less_bn"]:
            network = LessBN(network, fn_flag=self._fn_flag)
            process = OptimizerProcess(optimizer)
            group = self._param_processer.assign_parameter_group(network.trainable_params(),
                                                                 self.gradient_groups)
            process.origin_params = ParameterProcess.generate_group_params(group, process.origin_params)
            if self._gc_flag:
                process.add_grad_centralization(network)
            optimizer = process.generate_new_optimizer()
        if self.boost_config["grad_freeze"]:
            freeze = GradientFreeze(self._param_groups, self._freeze_type, self._freeze_p, self._total_steps)
            network, optimizer = freeze.freeze_generate(network, optimizer)
        if self.boost_config["adasum"]:
            optimizer.adasum = True
        return network, optimizer

    def network_auto_process_eval(self, network):
        """``network`` as the algorithms make it for evaluation."""
        if self.boost_config["dim_reduce"] or not self.boost_config["less_bn"]:
            return network
        return LessBN(network)
