"""A benchmark fails when a goal is missed by more than its allowance, and not before."""

import pytest

from tests.benchmarks.timing import Table, least, report


def table(*values, goal, allowance=1.5):
    made = Table("Times", *map(str, range(len(values))), allowance=allowance)
    made.add("one", *values, goal=goal)
    return made


@pytest.mark.parametrize(
    ("values", "goal", "mark"),
    [
        ((3, 10), 10, ""),
        ((3, 10.1), 10, "MISSED"),
        ((30, 15), 10, "MISSED"),
        ((30, 15), None, ""),
        ((1, 3), (2, 4), ""),
    ],
)
def test_goals_within_the_allowance(values, goal, mark, capsys):
    report(table(*values, goal=goal))
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.endswith(mark) if mark else "MISSED" not in line


def test_goals_missed_by_more(capsys):
    with pytest.raises(AssertionError, match="Times: one: 15.1, but the goal is 10"):
        report(table(3, 10, goal=10), table(3, 15.1, goal=10))
    assert capsys.readouterr().out.count("Times") == 2
    assert len(table(9, 9, goal=(2, 3)).failures) == 2
    assert len(table(5, 5, goal=(2, 3), allowance=(3, 1)).failures) == 1


def test_least_takes_the_fastest_of_many_runs():
    times = iter([0, 5, 10, 12, 20, 21, 30, 39, 40, 41, 50, 58])
    assert least([lambda: None, lambda: None], rounds=3, seconds=0, clock=lambda: next(times)) == [1, 2]
