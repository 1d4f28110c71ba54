"""The lessons, one folder each: `catalogue` finds and reads them."""

import course_lib  # noqa: F401 (registered below)
from whywrong.sandbox import register

register("course_lib", "course_lib.model")
register("lessons")
