"""The helper package of the course on the transformer's position-wise feed-forward network.

Import what a lesson needs from its module, such as `from course_lib.model.ffn import PositionWiseFeedForward`.
Importing course_lib alone is quick: torch and matplotlib are loaded by the modules that use them.
"""

__version__ = "0.1.0"
