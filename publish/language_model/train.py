"""Train the language model from nothing: fixed steps and seed, so that a machine trains the same model every time.

An interrupted training goes on where its last checkpoint was written.
"""

import math
import pathlib

import numpy as np

from course_lib.model.language_model import LanguageModel, bits
from course_lib.model.one_thread import nn, torch

STEPS, BATCH, RATE, WARM_UP, DECAY, CLIP = 7000, 16, 4e-3, 100, 0.1, 1.0
LOGGED, KEPT = 100, 500  # steps between two entries of the log, and between two checkpoints


def train(text: np.ndarray, seed: int, folder: pathlib.Path, steps: int = STEPS) -> tuple[LanguageModel, list]:
    """Train one model.

    Args:
        text: the codes of all training text.
        seed: of the start and of the order of the text.
        folder: of the checkpoints.
        steps: each reads 16 windows of 128 characters.

    Returns:
        The model, and its log: [step, mean loss of the last 100 steps in bits per character], every 100 steps.
    """
    torch.manual_seed(seed)
    model = LanguageModel()
    optimiser = torch.optim.AdamW(groups(model), lr=RATE, betas=(0.9, 0.99))
    checkpoint, first, log = folder / f"checkpoint-{seed}.pt", 0, []
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimiser.load_state_dict(state["optimiser"])
        first, log = state["step"], state["log"]
    losses = []
    for step in range(first, steps):
        losses.append(take_step(model, optimiser, text, seed, step, steps))
        if (step + 1) % LOGGED == 0:
            log.append([step + 1, round(float(np.mean(losses[-LOGGED:])), 4)])
            print(f"seed {seed}, step {step + 1} of {steps}: {log[-1][1]} bits", flush=True)
        if (step + 1) % KEPT == 0 or step + 1 == steps:
            state = {"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1, "log": log}
            torch.save(state, checkpoint.with_suffix(".new"))
            checkpoint.with_suffix(".new").replace(checkpoint)
    return model.eval().requires_grad_(False), log


def take_step(model, optimiser, text, seed, step, steps, rate=RATE, batch=BATCH) -> float:
    """Take one step down the loss; return the loss before it, in bits per character."""
    for group in optimiser.param_groups:
        group["lr"] = rate_at(step, steps, rate)
    logits = model((windows := next_windows(text, model.seq_len, seed, step, batch))[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), windows[:, 1:].flatten())
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), CLIP)
    optimiser.step()
    return bits(loss.item())


def rate_at(step: int, steps: int, rate: float = RATE) -> float:
    """Return the learning rate: a warm-up of 100 steps, times half a cosine down to 0."""
    return rate * min(1.0, (step + 1) / WARM_UP) * (1 + math.cos(math.pi * step / steps)) / 2


def next_windows(text, seq_len, seed, step, batch=BATCH) -> torch.Tensor:
    """Return the windows of one step, (batch, seq_len + 1); they follow from the seed and the step's number alone."""
    starts = np.random.default_rng([seed, step]).integers(0, len(text) - seq_len - 1, size=batch)
    return torch.from_numpy(np.stack([text[start : start + seq_len + 1] for start in starts]).astype(np.int64))


def groups(model):
    """Let matrices decay, and leave biases and gains alone."""
    matrices = [parameter for parameter in model.parameters() if parameter.ndim >= 2]
    others = [parameter for parameter in model.parameters() if parameter.ndim < 2]
    return [{"params": matrices, "weight_decay": DECAY}, {"params": others, "weight_decay": 0.0}]
