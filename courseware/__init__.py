"""What shows, guesses and remembers, whatever a course is about: another course could use it.

Notebooks call it through `course_lib.desk`, and web pages through `publish.site.in_page`. `page` shows, in a notebook
and as data for web pages; `guess` replies; `progress` keeps what a learner did.
"""

__version__ = "1.1.0"  # of the course; CHANGELOG.md has a section for it
