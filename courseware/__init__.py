"""What shows, checks and remembers, whatever a course is about: nothing here knows of feed-forward networks.

Notebooks call it through `course_lib.desk`, web pages through `publish.site.in_page`, and teachers' reports through
`points`. `page` shows, in a notebook and as data for web pages; `grading` and `guess` reply; `progress` and
`handing_in` keep and pack what a learner did. What is asked comes from `lessons.catalogue`.
"""

__version__ = "1.0.0"  # of the course; CHANGELOG.md has a section for it
