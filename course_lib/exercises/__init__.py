"""Exercises that check themselves: grade an answer, show the verdict, remember the progress."""

from course_lib.exercises.api import catalogue, check, grade, hint, progress, quiz, solution
from course_lib.exercises.todo import TODO

__all__ = ["TODO", "catalogue", "check", "grade", "hint", "progress", "quiz", "solution"]
