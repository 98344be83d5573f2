"""Settings of the run."""


class Config(dict):
    __getattr__ = dict.__getitem__


config = Config(
    class_num=10,
    batch_size=8,
    epochs=3,
    warmup_epochs=1,
    lr_first=0.001,
    lr_peak=0.005,
    momentum=0.9,
    weight_decay=1e-4,
    loss_scale=1024,
    smoothing=0.1,
)
