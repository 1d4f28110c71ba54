"""The course's colours by name, as they stand in colours.toml."""

import tomllib
from pathlib import Path

_BOTH = tomllib.loads(Path(__file__).with_name("colours.toml").read_text(encoding="utf-8"))
LIGHT, DARK = ({name: both[place] for name, both in _BOTH.items()} for place in (0, 1))
