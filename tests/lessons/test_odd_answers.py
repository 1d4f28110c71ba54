"""Whatever is handed to a check, grade returns a verdict and never raises."""

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.desk import TODO, grade
from tests.lessons.answers import CATALOGUE, assert_documented
from whywrong.task import Status

DUNDERS = """eq ne lt gt bool len iter next getitem contains call repr str format hash float int index complex array
    array_ufunc array_function array_interface class dict getattr getattribute abs sub rsub add radd mul truediv"""


def evil(names, how):
    """Make an object whose named special methods raise, or answer with something senseless."""

    def raising(self, *args, **kwargs):
        raise how

    def senseless(self, *args, **kwargs):
        return how

    method = raising if isinstance(how, BaseException) else senseless
    special = {f"__{name}__": property(method) if name in {"class", "array_interface"} else method for name in names}
    special |= {name: property(method) for name in ("shape", "dtype", "ndim", "detach")} if "array" in names else {}
    return type("Evil", (), special)()


@dataclass(frozen=True)
class Recipe:
    """How to make an evil object; Hypothesis looks at what it draws, and must not meet the object itself."""

    names: frozenset
    how: object


def made(value):
    """Return a drawn value with each recipe in it carried out."""
    if isinstance(value, Recipe):
        return evil(value.names, value.how)
    return type(value)(map(made, value)) if isinstance(value, (list, tuple)) else value


recipes = st.builds(
    Recipe,
    st.frozensets(st.sampled_from(DUNDERS.split()), min_size=1, max_size=6),
    st.sampled_from(
        [ValueError("no"), KeyError(), SystemExit(1), RecursionError(), NotImplemented, -1, "x", (), np.ndarray]
    ),
)
values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.complex_numbers(),
        st.text(max_size=5),
        st.binary(max_size=5),
        recipes,
        st.just(TODO),
        st.sampled_from(
            [int, len, np.ndarray, np.ma.array([1.0]), np.array("a"), np.array([None]), np.ma.masked, os, ...]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.tuples(inner, inner), st.tuples(inner, inner, inner, inner), st.sets(st.text())
    ),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.sampled_from(list(CATALOGUE)), values, st.sampled_from(["itself", "function", "class"]))
def test_grade_never_raises(id, value, form):
    answer = value = made(value)
    if form == "function":

        def answer(*args):
            return value

    elif form == "class":
        answer = type("Answer", (), {"__init__": lambda *args: None, "forward": lambda *args: value})
        answer.__call__ = answer.forward
    verdict = grade(id, answer, 0)
    assert verdict.status in set(Status)
    if verdict.key != "correct":
        assert_documented(id, verdict)
