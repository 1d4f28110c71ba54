"""Measure what the FFN of a language model buys: small models with and without it, trained alike.

Usage: python -m publish.language_model.study [--seeds 0 1 2] [--steps 1000] [--folder build/study] [--destination ...]

All rows read the same windows in the same order; the seed sets that order and the start. Each row trains at the best of
four rates, chosen with a seed that is not in the table. Every finished training is kept in the folder, so the same
command goes on where it was interrupted.
"""

import argparse
import itertools
import json
import pathlib
import platform
import re
import time

import numpy as np

from course_lib.model import language_model, reading
from course_lib.model.experts import MixtureOfExperts
from course_lib.model.ffn import PositionWiseFeedForward, SwiGLUFeedForward
from course_lib.model.language_model import LanguageModel
from course_lib.model.one_thread import nn, torch
from publish.language_model.text import split
from publish.language_model.train import groups, take_step

D_MODEL, BLOCKS, HEADS, WINDOW, BATCH, STEPS = 64, 2, 4, 64, 32, 1000
RATES, TUNING = (0.004, 0.008, 0.016, 0.032), 100  # the rates tried, and the seed that chooses among them
SCORED = 10_000  # characters of each held-out module


class _Nothing(nn.Module):
    """Add nothing: what stands in the place of an FFN that is left out."""

    def forward(self, x):
        return torch.zeros_like(x)


class _SideBySide(nn.Module):
    """Add up several attentions of the same input: one attention with that many times the heads."""

    def __init__(self, count):
        super().__init__()
        self.parts = nn.ModuleList(nn.MultiheadAttention(D_MODEL, HEADS, batch_first=True) for _ in range(count))
        self.num_heads = count * HEADS

    def forward(self, *args, **options):
        return sum(part(*args, **options)[0] for part in self.parts), None


def _squared_relu(x):
    return torch.relu(x) ** 2


def _ffn(times, activation="relu"):
    return lambda: PositionWiseFeedForward(D_MODEL, times * D_MODEL, activation=activation, dropout=0.0)


def _experts(times, k, router):
    """Return what makes a mixture of four experts, of which k do the work of ReLU ×4; nothing balances their loads."""
    return lambda: MixtureOfExperts(D_MODEL, times * D_MODEL, 4, k, router=router)


#: name of a row -> (what makes its FFN, blocks, attentions side by side). An FFN ×4 has as many parameters as two
#: attentions, to within one in five hundred, so three attentions stand for an attention and an FFN.
ROWS = {
    "ReLU ×4": (_ffn(4), BLOCKS, 1),
    "no FFN": (_Nothing, BLOCKS, 1),
    "linear ×4": (_ffn(4, "identity"), BLOCKS, 1),
    "attention, wide": (_Nothing, BLOCKS, 3),
    "attention, deep": (_Nothing, 3 * BLOCKS, 1),
    "ReLU ×2": (_ffn(2), BLOCKS, 1),
    "ReLU ×8": (_ffn(8), BLOCKS, 1),
    "SwiGLU": (lambda: SwiGLUFeedForward(D_MODEL, 8 * D_MODEL // 3, bias=True), BLOCKS, 1),
    "GELU ×4": (_ffn(4, "gelu"), BLOCKS, 1),
    "ReLU ×1": (_ffn(1), BLOCKS, 1),
    "ReLU² ×4": (_ffn(4, _squared_relu), BLOCKS, 1),
    "4 experts ×4, 1 used": (_experts(4, 1, "switch"), BLOCKS, 1),
    "4 experts ×2, 2 used": (_experts(2, 2, "mixtral"), BLOCKS, 1),
}


def made(row: str, seed: int) -> LanguageModel:
    """Return the untrained model of a row, built of the course's own blocks."""
    ffn, blocks, attentions = ROWS[row]
    torch.manual_seed(seed)
    model = LanguageModel(D_MODEL, blocks, HEADS, D_MODEL, WINDOW)
    writers = []
    for block in model.blocks:
        block.ffn = ffn()
        if isinstance(block.ffn, _Nothing):
            block.norm2 = nn.Identity()  # a norm before nothing would be counted, and never learn
        else:
            writers.append([one.down for one in getattr(block.ffn, "experts", [block.ffn])])
        if attentions > 1:
            block.attention = _SideBySide(attentions)
        writers += [[part.out_proj] for part in getattr(block.attention, "parts", [block.attention])]
    for name, weight in model.named_parameters():
        if weight.ndim > 1:
            table = name in ("embed.weight", "positions.weight")
            nn.init.normal_(weight, std=0.1 if table else weight.shape[1] ** -0.5)
    with torch.no_grad():
        for writer in itertools.chain(*writers):
            writer.weight.div_(len(writers) ** 0.5)
    return model


def run(row: str, seed: int, rate: float, steps: int, text, scored) -> dict:
    """Train one model and return what came out: parameters, bits per character, CPU seconds, losses on the way."""
    model, start, losses = made(row, seed), time.process_time(), []
    optimiser = torch.optim.AdamW(groups(model), lr=rate, betas=(0.9, 0.99))
    print(f"{row}, seed {seed}, rate {rate}: {steps} steps", flush=True)
    for step in range(steps):
        losses.append(take_step(model, optimiser, text, seed, step, steps, rate, BATCH))
    seconds = time.process_time() - start
    model.eval().requires_grad_(False)
    bits = np.concatenate([reading.read(model, words, inside=False).bits for words in scored])
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "bits": round(float(bits.mean()), 4),
        "seconds": round(seconds, 1),
        "losses": [round(float(np.mean(part)), 3) for part in np.array_split(losses, max(1, steps // 100))],
    }


def kept(folder: pathlib.Path, row: str, seed: int, rate: float, steps: int, text, scored) -> dict:
    """Return a training's result: the one in the folder, or that of a new training, which is put there."""
    number = list(ROWS).index(row)
    path = folder / f"{number:02}-seed-{seed}-rate-{rate}-steps-{steps}.json"
    if not path.exists() or json.loads(path.read_text(encoding="utf-8"))["row"] != row:
        found = {"row": row, "seed": seed, "rate": rate} | run(row, seed, rate, steps, text, scored)
        path.with_suffix(".new").write_text(json.dumps(found, ensure_ascii=False) + "\n", encoding="utf-8")
        path.with_suffix(".new").replace(path)
    return json.loads(path.read_text(encoding="utf-8"))


def study(folder: pathlib.Path, seeds, steps: int, text, scored):
    """Train everything, row by row; yield the record after each row that is complete.

    Args:
        folder: where finished trainings are kept.
        seeds: those of the table.
        steps: of each training.
        text: the codes of the training text.
        scored: the texts that are judged.
    """
    rows = {}
    for row in ROWS:
        tried = {rate: kept(folder, row, TUNING, rate, steps, text, scored)["bits"] for rate in RATES}
        found = {"rate": min(RATES, key=tried.get), "rates_tried": {str(rate): tried[rate] for rate in RATES}}
        done = {str(seed): kept(folder, row, seed, found["rate"], steps, text, scored) for seed in seeds}
        found["parameters"] = done[str(seeds[0])]["parameters"]
        for name in ("bits", "seconds", "losses"):
            found[name] = {seed: one[name] for seed, one in done.items()}
        rows[row] = found
        yield rows


def main() -> None:
    """Train, and write the table."""
    parser = argparse.ArgumentParser(description="Measure what the FFN of a small language model buys.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/study"))
    parser.add_argument("--destination", type=pathlib.Path, default=language_model.FOLDER)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    count = (len(RATES) + len(options.seeds)) * len(ROWS)
    print(f"{count} small trainings. Stop with Ctrl+C; the same command goes on.", flush=True)
    text, held_out = split()
    scored = ["".join(language_model.CHARACTERS[code] for code in codes[:SCORED]) for codes in held_out.values()]
    settings = {
        **{"python": platform.python_version(), "torch": torch.__version__.partition("+")[0]},
        **{"d_model": D_MODEL, "blocks": BLOCKS, "heads": HEADS, "window": WINDOW, "windows_a_step": BATCH},
        **{"steps": options.steps, "characters": len(text), "scored": sum(map(len, scored))},
        **{"rates": list(RATES), "seed_for_rates": TUNING},
    }
    for rows in study(options.folder, options.seeds, options.steps, text, scored):
        words = json.dumps({"settings": settings, "rows": rows}, indent=1, ensure_ascii=False)
        words = re.sub(r"\[[^\[\]{}]*\]", lambda numbers: " ".join(numbers[0].split()), words)
        (options.destination / language_model.STUDY.name).write_text(words + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
