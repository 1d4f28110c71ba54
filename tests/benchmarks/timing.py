"""How the benchmarks measure: both sides in turn, the least time of each, and tables whose goals must be reached."""

import time

# By how much a goal may be missed before a benchmark fails. Ratios of two things measured in turn hold on any machine;
# times are meant for two free cores, and double where other work shares them.
OF_RATIOS, OF_TIMES = 1.25, 2.0


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


class Table:
    """A table to print: rows above their goal are marked, and `failures` names those beyond the allowance too.

    Args:
        allowance: by which factor a goal may be missed, for all goals or for each.
    """

    def __init__(self, title, *columns, allowance=OF_RATIOS):
        self.title, self.columns, self.allowance = title, ["what", *columns, "goal"], allowance
        self.rows, self.failures = [], []

    def add(self, what, *values, goal=None, digits=3):
        """Add a row; goal is the upper bound of the last value, or a tuple of bounds for the last few."""
        bounds = goal if isinstance(goal, tuple) else () if goal is None else (goal,)
        allowances = self.allowance if isinstance(self.allowance, tuple) else (self.allowance,) * len(bounds)
        held = list(zip(values[len(values) - len(bounds) :], bounds, allowances, strict=True))
        shown = [value if isinstance(value, str) else f"{value:.{digits}g}" for value in values]
        wanted = [f"≤ {bound:g} (fails above {bound * factor:.3g})" for _, bound, factor in held]
        missed = ["MISSED"] if any(value > bound for value, bound, _ in held) else []
        self.rows.append([what, *shown, ", ".join(wanted + missed)])
        self.failures += [
            f"{self.title}: {what}: {value:.{digits}g}, but the goal is {bound:g}"
            for value, bound, factor in held
            if value > factor * bound
        ]

    def __str__(self):
        cells = [self.columns, *self.rows]
        widths = [max(len(row[index]) for row in cells) for index in range(len(self.columns))]
        lines = ["  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)) for row in cells]
        return "\n".join(["\n", self.title, *map(str.rstrip, lines)])


def report(*tables):
    """Print the tables, and fail when a goal in one of them is missed by more than its allowance."""
    print(*tables, sep="\n")
    failures = [failure for table in tables for failure in table.failures]
    assert not failures, "\n".join(failures)
