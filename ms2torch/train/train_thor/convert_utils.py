"""``mindspore.train.train_thor.convert_utils``."""

from __future__ import annotations

from ms2torch._core.errors import unsupported


class ConvertNetUtils:
    """Makes THOR's network of a plain one; NotImplementedError."""

    def convert_to_thor_net(self, net) -> None:
        """Replace layers by such that gather curvature; NotImplementedError."""
        raise unsupported(
            "mindspore.train.ConvertNetUtils.convert_to_thor_net",
            "THOR's layers need MindSpore's own compiler.",
            "nn.Momentum or nn.Lamb on the network.",
        )


class ConvertModelUtils:
    """Makes THOR's Model of a plain one (``mindspore.train.ConvertModelUtils``)."""

    @staticmethod
    def convert_to_thor_model(
        model,
        network,
        loss_fn=None,
        optimizer=None,
        metrics=None,
        amp_level="O0",
        loss_scale_manager=None,
        keep_batchnorm_fp32=False,
    ):
        """The Model as it is with any optimizer but THOR, as in MindSpore; making THOR raises
        NotImplementedError, so that none comes here."""
        return model
