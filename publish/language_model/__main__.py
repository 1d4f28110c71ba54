"""Train the language model twice from nothing, measure both, and ship the first.

Usage: python -m publish.language_model [--seeds 0 1] [--steps 7000] [--folder build/language_model] [--destination ...]

It writes the weights of the first seed as float16, and beside them what was measured: the losses, the yardsticks, and
the lesson's numbers for every seed.
"""

import argparse
import json
import pathlib
import platform
import re

from course_lib.model import language_model
from course_lib.model.one_thread import torch
from publish.language_model import measure
from publish.language_model.text import split
from publish.language_model.train import BATCH, RATE, STEPS, train

MINUTES = 17  # for one seed, on one core of its own


def main() -> None:
    """Train, measure, write."""
    parser = argparse.ArgumentParser(description="Train the language model of lesson 10 from nothing, and ship it.")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1], help="the first one's weights are shipped")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/language_model"))
    parser.add_argument("--destination", type=pathlib.Path, default=language_model.FOLDER)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    minutes = MINUTES * len(options.seeds) * options.steps / STEPS
    print(f"Training takes about {minutes:.0f} minutes of one core. Stop with Ctrl+C; the same command goes on.")
    text, held_out = split()
    found = {
        "made_with": {"python": platform.python_version(), "torch": torch.__version__.partition("+")[0]},
        "training": {"characters": len(text), "steps": options.steps, "windows_a_step": BATCH, "rate": RATE},
        "seeds": {},
    }
    for seed in options.seeds:
        model, log = train(text, seed, options.folder, options.steps)
        path = options.folder / f"language_model-{seed}.npz"
        checksum = language_model.save(model, path)
        model = language_model.load(path)  # every number is that of the rounded weights
        found["seeds"][str(seed)] = {
            "checksum": checksum,
            "held_out": measure.held_out(model, held_out),
            "lesson": measure.lesson(model, seed),
            "losses": log,
        }
        print(f"seed {seed}: {found['seeds'][str(seed)]['held_out']['all']} bits per character on held-out modules")
    found["yardsticks"] = measure.yardsticks(text)
    first = options.folder / f"language_model-{options.seeds[0]}.npz"
    (options.destination / language_model.WEIGHTS.name).write_bytes(first.read_bytes())
    written = re.sub(r"\[[^\[\]{}]*\]", lambda numbers: " ".join(numbers[0].split()), json.dumps(found, indent=1))
    (options.destination / language_model.RECORD.name).write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
