"""Small trainings for `finetuning`: what a library's own script is given, or its Trainer in a few lines.

    python -m ms2torch scripts/third_party/trainings.py PROGRAM FOLDER KIND OUT [resume]

FOLDER holds what ``judge.py`` made. KIND is ``full`` or ``lora``. OUT becomes the folder of the run's
checkpoints. The programs: ``mindone`` and ``mindnlp`` (their Trainers), ``example`` (a script of MindONE's
repository, whose path is in ``$SCRIPT``), ``mindformers`` (writes the configuration for its
``run_mindformer.py``).
"""

from __future__ import annotations

import os
import runpy
import sys
from pathlib import Path

import numpy as np

ROWS, LENGTH, BATCH, EPOCHS, RATE = 32, 16, 4, 4, 0.01
LORA = {"r": 4, "lora_alpha": 8, "target_modules": ["query", "value"], "task_type": "SEQ_CLS"}
SETTINGS = {"num_train_epochs": EPOCHS, "per_device_train_batch_size": BATCH, "learning_rate": RATE,
            "seed": 1, "save_steps": 6, "logging_steps": 4}
SILENT = {"logging_strategy": "no"}
# (What is drawn while training is another draw after a restart.)
STILL = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}


def texts() -> list[np.ndarray]:
    """Rows that count upwards from a random number: easy to learn."""
    noise = np.random.RandomState(0)
    return [(noise.randint(3, 90) + np.arange(LENGTH + 1)) % 90 + 3 for _ in range(ROWS)]


def labels() -> list[int]:
    return [int(row[0] % 2) for row in texts()]


def bert(cls, folder: Path):
    """A library's class with Hugging Face's checkpoint; the adapters it will get are drawn the same each
    time."""
    import mindspore as ms

    np.random.seed(1)
    ms.set_seed(1)
    return cls.from_pretrained(str(folder / "BertForSequenceClassification"), **STILL)


def _kept(file: Path, trainer) -> None:
    """Save the weights by name, and the losses that the Trainer told."""
    weights = {name: p.asnumpy() for name, p in trainer.model.parameters_dict().items()}
    losses = [float(entry["loss"]) for entry in trainer.state.log_history if "loss" in entry]
    np.savez(file, losses=losses or getattr(trainer, "losses", []), **weights)


def _telling(cls):
    """MindONE's Trainer, keeping its losses: with numpy 2 it can not write those that it logs."""
    class Telling(cls):
        losses: list[float] = []

        def training_step(self, *args, **kwargs):
            found = super().training_step(*args, **kwargs)
            self.losses.append(float(found[0].asnumpy()))
            return found

    return Telling


def mindone(folder: Path, kind: str, out: Path, resume: bool) -> None:
    from datasets import Dataset
    from mindone.transformers import BertForSequenceClassification
    from mindone.transformers.trainer import Trainer
    from mindone.transformers.training_args import TrainingArguments

    rows = {"input_ids": [row[:LENGTH].tolist() for row in texts()], "labels": labels()}
    model = bert(BertForSequenceClassification, folder)
    if kind == "lora":
        from mindone.peft import LoraConfig

        # (Its Trainer takes no PeftModel, whose construct has ``**kwargs``. Its optimizer has a group for
        # biases, which must not be empty.)
        model.add_adapter(LoraConfig(bias="lora_only", **LORA))
    arguments = TrainingArguments(output_dir=str(out), eval_strategy="no", remove_unused_columns=False,
                                  label_names=["labels"], report_to=[], **SETTINGS, **SILENT)
    trainer = _telling(Trainer)(model=model, args=arguments, train_dataset=Dataset.from_dict(rows))
    _kept(out / "start.npz", trainer)
    trainer.train(resume_from_checkpoint=resume or None)
    _kept(out / "final.npz", trainer)


def mindnlp(folder: Path, kind: str, out: Path, resume: bool) -> None:
    from mindnlp.engine import Trainer, TrainingArguments
    from mindnlp.transformers import BertForSequenceClassification
    from mindspore.dataset import NumpySlicesDataset

    rows = {"input_ids": np.stack([row[:LENGTH] for row in texts()]),
            "attention_mask": np.ones((ROWS, LENGTH), np.int64), "labels": np.array(labels())}
    model = bert(BertForSequenceClassification, folder)
    if kind == "lora":
        from mindnlp.peft import LoraConfig, get_peft_model

        model = get_peft_model(model, LoraConfig(**LORA))
    # (Its Trainer begins the epoch anew in which it resumes: checkpoints are at their ends.)
    arguments = TrainingArguments(output_dir=str(out), **{**SETTINGS, "save_steps": ROWS // BATCH})
    data = NumpySlicesDataset(rows, shuffle=False).batch(BATCH)
    trainer = Trainer(model=model, args=arguments, train_dataset=data)
    _kept(out / "start.npz", trainer)
    trainer.train(resume_from_checkpoint=resume or None)
    _kept(out / "final.npz", trainer)


def example(folder: Path, kind: str, out: Path, resume: bool) -> None:
    """examples/transformers/bert/finetune_with_mindspore_trainer.py with a checkpoint, a tokenizer and texts
    made here; where it calls ``train()``, the last checkpoint is asked for."""
    from mindone.transformers import trainer
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    del folder, kind
    made = out.parent / "example"
    if not made.exists():
        import torch

        torch.manual_seed(1)
        words = [f"w{i}" for i in range(90)]
        vocabulary = out.parent / "vocabulary.txt"
        vocabulary.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]) + "\n")
        BertTokenizerFast(str(vocabulary)).save_pretrained(made / "model")
        config = BertConfig(vocab_size=95, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                            num_attention_heads=4, max_position_embeddings=512, num_labels=5, **STILL)
        BertForSequenceClassification(config).save_pretrained(made / "model")
        (made / "data").mkdir()
        noise = np.random.RandomState(0)
        for name in ("train", "test"):          # (the script takes a thousand of each)
            first = noise.randint(0, 90, 1000)
            lines = [f"{w % 5},{' '.join(words[(w + i) % 90] for i in range(12))}" for w in first]
            (made / "data" / f"{name}.csv").write_text("\n".join(["label,text", *lines]) + "\n")
    class Resuming(_telling(trainer.Trainer)):
        def train(self):
            _kept(out / "start.npz", self)
            super().train(resume_from_checkpoint=resume or None)
            _kept(out / "final.npz", self)

    trainer.Trainer = Resuming
    sys.argv[:] = [os.environ["SCRIPT"], "--model_path", str(made / "model"), "--dataset_path",
                   str(made / "data"), "--output_dir", str(out), "--max_steps", "24", "--save_steps", "8",
                   "--logging_strategy", "no", "--per_device_train_batch_size", str(BATCH), "--learning_rate",
                   str(RATE / 10), "--report_to", "none"]
    runpy.run_path(os.environ["SCRIPT"], run_name="__main__")


def mindformers(folder: Path, kind: str, out: Path, resume: bool) -> None:
    """OUT.yaml for run_mindformer.py: a Llama from Hugging Face's checkpoint, converted by MindFormers, and
    a MindRecord file."""
    import mindspore as ms
    import yaml
    from mindformers.models.llama.convert_weight import convert_pt_to_ms
    from mindspore.mindrecord import FileWriter

    start, data = out.parent / "llama.ckpt", out.parent / "texts.mindrecord"
    if not start.exists():
        convert_pt_to_ms(input_path=str(folder / "LlamaForCausalLM" / "x"), output_path=str(start),
                         dtype=ms.float32)
        writer = FileWriter(str(data), 1, overwrite=True)
        writer.add_schema({"input_ids": {"type": "int32", "shape": [-1]}}, "texts")
        writer.write_raw_data([{"input_ids": row.astype(np.int32)} for row in texts()])
        writer.commit()
    import mindformers

    configs = Path(mindformers.__file__).parents[1] / "configs" / "llama2"
    name = "lora_llama2_7b.yaml" if kind == "lora" else "finetune_llama2_7b.yaml"
    config = yaml.safe_load((configs / name).read_text())
    config.update(use_parallel=False, load_checkpoint=str(out / "checkpoint" if resume else start),
                  resume_training=resume, output_dir=str(out), remote_save_url=None)
    config["runner_config"].update(epochs=EPOCHS, batch_size=BATCH, sink_mode=False)
    config["optimizer"]["learning_rate"] = config["lr_schedule"]["learning_rate"] = RATE
    config["train_dataset"].update(input_columns=["input_ids"], num_parallel_workers=1)
    config["train_dataset"]["data_loader"]["dataset_dir"] = str(data)
    config["train_dataset_task"]["dataset_config"] = config["train_dataset"]
    config["model"]["model_config"].update(
        seq_length=LENGTH, hidden_size=32, num_layers=2, num_heads=4, n_kv_heads=2, intermediate_size=64,
        vocab_size=99, compute_dtype="float32", rotary_dtype="float32", softmax_compute_type="float32")
    config["model"]["model_config"].get("pet_config", {}).update(lora_dropout=0.0)
    config["callbacks"] = [{"type": "MFLossMonitor"},
                           {"type": "CheckpointMonitor", "prefix": "tiny", "save_checkpoint_steps": 5,
                            "integrated_save": False, "async_save": False}]
    out.with_suffix(".yaml").write_text(yaml.safe_dump(config))


PROGRAMS = {"mindone": mindone, "mindnlp": mindnlp, "example": example, "mindformers": mindformers}

if __name__ == "__main__":
    program, given, which, place, *more = sys.argv[1:]
    Path(place).mkdir(parents=True, exist_ok=True)
    PROGRAMS[program](Path(given), which, Path(place), bool(more))
    sys.stdout.flush()
    os._exit(0)
