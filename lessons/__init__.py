"""The lessons, one folder each: `catalogue` finds and reads them."""

import course_lib as course_lib
import courseware  # noqa: F401 (registered below)
from whywrong.sandbox import register

register("course_lib", "course_lib.model")
register("courseware")
register("lessons")
