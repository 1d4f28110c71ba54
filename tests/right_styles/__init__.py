"""Right answers of many styles: STYLES of each module holds at least five for every exercise of its lesson.

ACCEPTS names the faults of tests/test_exercises.py that an exercise takes as right on purpose, such as integers where
it converts them itself.
"""
