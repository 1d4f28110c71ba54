"""The lessons lie beside the notebooks: who imports them from here, as earlier copies do, is told where they are."""

raise ImportError(
    "The lessons are a package of their own now: write `from lessons.` where `from course_lib.lessons.` stands. "
    "`python3 start.py update` does it in your copies."
)
