"""What the lesson reads with the real model, as `texts.toml` holds it."""

import tomllib
from pathlib import Path

with open(Path(__file__).with_name("texts.toml"), "rb") as _file:
    _HELD = tomllib.load(_file)

THREE = _HELD["three"]  # a story, a program, a recipe
PAIRS = _HELD["pairs"]  # of sentences that end in "bank": a river's, and one with money
RIVER_WORDS, MONEY_WORDS = _HELD["river_words"], _HELD["money_words"]
RIVER, MONEY = _HELD["river"], _HELD["money"]  # twelve sentences each that end in "bank"
CAPITALS = _HELD["capitals"]  # country -> capital
