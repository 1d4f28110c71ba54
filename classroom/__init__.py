"""What a teacher needs beside the lessons: pages to teach from, a report on the class, and a server."""


class Refused(ValueError):
    """Something that a teacher can put right: its words are a sentence for them, and commands print nothing else."""
