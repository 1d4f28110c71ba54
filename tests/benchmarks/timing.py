"""How the benchmarks measure: both sides in turn, the least time of each, and a table with the goals."""

import os
import time


def least(functions, *, rounds=7, seconds=4.0, clock=time.process_time):
    """Run the functions in turn and return the least time of each: whatever else the machine does can only add to it.

    Args:
        functions: what to compare; each is run once unmeasured first.
        rounds: at least this many measured runs of each.
        seconds: go on for about this long.
        clock: CPU time of this process by default.
    """
    for function in functions:
        function()
    best = [float("inf")] * len(functions)
    done, end = 0, time.perf_counter() + seconds
    while done < rounds or time.perf_counter() < end:
        for index, function in enumerate(functions):
            start = clock()
            function()
            best[index] = min(best[index], clock() - start)
        done += 1
    return best


def children_cpu():
    """Return the CPU seconds that finished child processes have used."""
    times = os.times()
    return times.children_user + times.children_system


class Table:
    """A printed table; rows whose value is above their goal are marked."""

    def __init__(self, title, *columns):
        self.title, self.columns, self.rows = title, ["what", *columns, "goal"], []

    def add(self, what, *values, goal=None, digits=3):
        """Add a row; goal is the upper bound of the last value, or a tuple of bounds for the last few."""
        bounds = goal if isinstance(goal, tuple) else () if goal is None else (goal,)
        held = values[len(values) - len(bounds) :]
        over = any(value > bound for value, bound in zip(held, bounds, strict=True))
        shown = [value if isinstance(value, str) else f"{value:.{digits}g}" for value in values]
        wanted = "".join(f"≤ {bound:g} " for bound in bounds) + ("MISSED" if over else "")
        self.rows.append([what, *shown, wanted.strip()])

    def show(self):
        """Print the table."""
        cells = [self.columns, *self.rows]
        widths = [max(len(row[index]) for row in cells) for index in range(len(self.columns))]
        print(f"\n\n{self.title}")
        for row in cells:
            print("  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip())
