"""That barriers are seen; every lesson is held against them in test_lessons.py, where it is open anyway."""

from tests.browser.axe import violations


def test_the_check_sees_a_barrier(open_lesson):
    """A button, a link and a box without a name are reported."""
    course = open_lesson("lab", "00_start_here.ipynb")
    bad = """from IPython.display import HTML\nHTML('<button></button> <a href="#"></a> <input type="text">')"""
    course.type_into("run-1", bad)
    found = " ".join(violations(course.page))
    assert all(rule in found for rule in ("button-name", "link-name", "label")), found
