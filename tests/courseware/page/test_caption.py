"""A caption of two parts is one string wherever a string is wanted."""

from bs4 import BeautifulSoup

from courseware.page import caption
from courseware.page.caption import Caption


def test_as_a_string_it_is_both():
    both = Caption("It climbs.", "From 1 to 3.")
    assert both == "It climbs. From 1 to 3." and isinstance(both, str) and f"{both}" == str(both) == both
    assert caption.parts(both) == ("It climbs.", "From 1 to 3.")
    assert Caption("It climbs.") == "It climbs." and caption.parts(Caption("It climbs.")) == ("It climbs.", "")


def test_a_plain_string_is_all_message():
    assert caption.parts("It climbs. From 1 to 3.") == ("It climbs. From 1 to 3.", "")
    assert "<details" not in caption.as_html("It climbs.")


def test_as_html():
    page = BeautifulSoup(caption.as_html(Caption("a < b.", "*1* & <b>2</b>.")), "html.parser")
    assert page.find("p").get_text() == "a < b." and page.find("b") is None
    fold = page.find("details")
    assert not fold.has_attr("open") and fold.find("summary").get_text() == caption.FOLD
    assert fold.get_text() == f"{caption.FOLD}*1* & <b>2</b>."
