"""A training step of a small Llama: MindONE's on ms2torch against Hugging Face's on PyTorch, interleaved.

    PYTHONPATH=... python scripts/benchmarks/llama.py [rounds]

Needs mindone and transformers (``python scripts/third_party get mindone``, then its folders on the path).
Both have the same configuration, the same weights by name, AdamW of one fused call, batch 4 of 64 tokens; a
round times one step of each, the order changing; medians of all rounds and their quotient are printed, by
the clock and by the processor's time, which other work on the machine moves less.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time

import numpy as np
import torch
from transformers import LlamaConfig
from transformers import LlamaForCausalLM as Theirs

import ms2torch

ms2torch.install()

import mindspore as ms  # noqa: E402
from mindone.transformers import LlamaForCausalLM as Ours  # noqa: E402

CONFIG = LlamaConfig(
    vocab_size=1000, hidden_size=128, intermediate_size=256, num_hidden_layers=4, num_attention_heads=4,
    num_key_value_heads=2, max_position_embeddings=128, attn_implementation="eager", use_cache=False,
)


def their_step(folder: str, tokens: np.ndarray):
    model = Theirs.from_pretrained(folder, attn_implementation="eager").train()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, fused=True)
    given = torch.from_numpy(tokens)

    def step() -> float:
        optimizer.zero_grad()
        loss = model(input_ids=given, labels=given, use_cache=False).loss
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def our_step(folder: str, tokens: np.ndarray):
    model = Ours.from_pretrained(folder, attn_implementation="eager").set_train()
    optimizer = ms.experimental.optim.AdamW(model.trainable_params(), 1e-3)
    given = ms.Tensor(tokens)

    def forward():
        return model(input_ids=given, labels=given, use_cache=False, return_dict=False)[0]

    value_and_grad = ms.value_and_grad(forward, None, optimizer.parameters)

    def step() -> float:
        loss, grads = value_and_grad()
        optimizer(grads)
        return loss.item()

    return step


def main(rounds: int) -> None:
    torch.manual_seed(0)
    tokens = np.random.RandomState(0).randint(3, 999, (4, 64))
    with tempfile.TemporaryDirectory() as folder:
        Theirs(CONFIG).save_pretrained(folder)
        steps = [our_step(folder, tokens), their_step(folder, tokens)]
    taken: tuple[list, list] = ([], [])
    for number in range(rounds + 5):
        losses = [0.0, 0.0]
        for which in (0, 1) if number % 2 else (1, 0):
            start, worked = time.perf_counter(), time.process_time()
            losses[which] = steps[which]()
            if number >= 5:
                taken[which].append((time.perf_counter() - start, time.process_time() - worked))
        if number == 0:
            assert abs(losses[0] - losses[1]) < 1e-4 * losses[1], losses
    print(f"losses {losses[0]:.5f} {losses[1]:.5f}")
    for i, by in enumerate(("clock", "processor")):
        ours, theirs = (1e3 * statistics.median(times[i] for times in one) for one in taken)
        print(f"{by}: ms2torch {ours:.2f} ms, PyTorch {theirs:.2f} ms, quotient {ours / theirs:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
