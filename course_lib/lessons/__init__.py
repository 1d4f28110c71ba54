"""The lessons, one folder each: `catalogue` finds and reads them."""

from whywrong.sandbox import register

register("course_lib", "course_lib.model")
