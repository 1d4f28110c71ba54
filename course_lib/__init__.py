"""The helper package of the course on the transformer's position-wise feed-forward network: its model, and `desk`.

Import what a lesson needs from its module, such as `from course_lib.model.ffn import PositionWiseFeedForward`.
Importing course_lib alone is quick: torch and matplotlib are loaded by the modules that use them.
"""

import contextlib

from courseware import __version__, environment
from courseware.environment import NEEDED, OWN, hidden

__all__ = ["__version__", "environment"]  # a cell asks environment whether everything is here

with contextlib.suppress(OSError):  # the current folder may be gone
    for _name, _sentence in hidden().items():
        if _name in (*NEEDED, *OWN):  # the lesson would end in an error that names neither the file nor the cure
            raise ImportError(_sentence)
