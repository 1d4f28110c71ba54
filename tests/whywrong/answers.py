"""Small exercises, and answers as learners hand them in: from a file, or from a cell of a notebook."""

import importlib.util
import itertools
import math

import numpy as np
import torch

from whywrong.judge import grade
from whywrong.task import Case, Exercise, Mistake, Returns

WORDS = {"hints": ("an idea", "shapes", "a line"), "right": "So it is."}
_number = itertools.count()


RESULT = (Returns("the result"),)


def exercise(oracle, cases, kind="function", returns=RESULT, **more):
    """Make an exercise with these cases, or with a function that draws them."""
    drawn = cases if callable(cases) else lambda rng: [Case(*case) for case in cases]
    return Exercise(
        **{"id": "t.exercise", "kind": kind, "cases": drawn, "oracle": oracle, "returns": returns, "mistakes": ()}
        | WORDS
        | more
    )


def _arrays(rng):
    return [Case((rng.normal(size=size) * 2,)) for size in (7, 5)]


def _rows(rng):
    return [Case((rng.normal(size=(n, 3)), rng.normal(size=(3, d)), rng.normal(size=d))) for n, d in ((4, 2), (5, 6))]


CURVE = exercise(lambda x: 0.5 * x + x**3, _arrays, returns=(Returns("the result", ("n",)),))
RELU = exercise(lambda x: np.where(x > 0, x, 0.0), _arrays, returns=(Returns("the result", ("n",)),))
LAYER = exercise(lambda x, W, b: np.einsum("ij,jk->ik", x, W) + b, _rows, returns=(Returns("y", ("n", "d_out")),))
COUNT = exercise(
    lambda d, f, bias: sum(np.empty((d, f)).shape) * 0 + np.empty((d, f)).size + (d + f if bias else 0),
    [((3, 5, True),), ((7, 2, False),), ((4, 9, True),), ((6, 11, False),), ((10, 3, True),)],
    returns=(Returns("the count"),),
)
SHARE = exercise(
    lambda h: (h.numpy() == 0).mean(),
    lambda rng: [Case((torch.tensor(rng.normal(size=(n, 4)).clip(0)),)) for n in (3, 6)],
    returns=(Returns("the share"),),
)


def _made(answer, case):
    torch.manual_seed(0)
    return answer(*case.args[1:])(case.args[0])


def _layer(x, d_in, d_out):
    torch.manual_seed(0)
    return torch.nn.Linear(d_in, d_out, dtype=torch.float64)(x).relu()


MODULE = exercise(
    _layer,
    lambda rng: [Case((torch.tensor(rng.normal(size=(4, d))), d, 2)) for d in (3, 5)],
    kind="class",
    returns=(Returns("the output", ("n", "d_out")),),
    run=_made,
)
AVERAGE = exercise(lambda a, b: (a + b) / (a * b), [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
WIDTH = exercise(lambda d: 8 * d // 3, [((4,),), ((7,),), ((10,),)])
TOTAL = exercise(lambda A: float(A.sum()), lambda rng: [Case((rng.normal(size=(3, n)),)) for n in (2, 5)])
POLYNOMIAL = exercise(lambda x: (2 * x) ** 2, [((3.0,),), ((-5.0,),), ((7.0,),)])
COLUMNS = exercise(
    lambda A: np.array([sum(column) for column in A.T]),
    lambda rng: [Case((rng.normal(size=(3, n)),)) for n in (2, 5)],
    returns=(Returns("s", ("n",)),),
)
SUMS = exercise(lambda a, b: a / (a + b + a * b), [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
ROOT = exercise(lambda a, b: (a * b) ** 0.5, [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
ZEROS = exercise(
    lambda x: float(np.count_nonzero(x == 0)),
    lambda rng: [Case((rng.permutation(values),)) for values in ([0.0, -2, 1, 0, 3], [-1.0, 0, -4, 5])],
)
UP = exercise(lambda d, m: -(-d // m) * m, [((7, 4),), ((8, 4),), ((23, 5),)])
SHARE_OF = exercise(lambda a, b: b / (a + b) + b, [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
TWICE = exercise(
    lambda x, W: np.einsum("ij,kj,lk->il", x, W, W),
    lambda rng: [Case((rng.normal(size=(3, n)), rng.normal(size=(n, n)))) for n in (2, 5)],
    returns=(Returns("y", ("n", "d")),),
)
POSITIVE = exercise(lambda x: sum(v > 0 for v in x.tolist()), lambda rng: [Case((rng.normal(size=n),)) for n in (7, 9)])
AREA = exercise(lambda a, b: a * a * b, [((3.0, 4.0),), ((5.0, 2.0),), ((7.0, 6.0),)])
TANGENT = exercise(lambda x: np.array([math.tanh(v) for v in x]), CURVE.cases, returns=CURVE.returns)
LEFT = exercise(lambda p, n: (1 - p) ** n, [((0.5, 3),), ((0.25, 2),), ((0.125, 5),)])


def _tables(rng):
    return [Case((rng.normal(size=(n, 4)), k)) for n, k in ((5, 2), (3, 3), (6, 1))]


def _kept(x, k):
    found = np.zeros(x.shape)
    for row, given in zip(found, x.tolist(), strict=True):
        for place in sorted(range(4), key=given.__getitem__)[-k:]:
            row[place] = given[place]
    return found


TOP = exercise(_kept, _tables, returns=(Returns("the result", ("row", "column")),))
HALF = Mistake("half", lambda x: 0.5 * (0.5 * x + x**3), "This is half of the result.")


def in_file(source, tmp_path, **names):
    """Return what a file defines last."""
    path = tmp_path / f"answer_{next(_number)}.py"
    path.write_text(
        f"import math\nimport numpy as np\nimport torch\nfrom torch import nn\n\n{source}", encoding="utf-8"
    )
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    vars(module).update(names)
    spec.loader.exec_module(module)
    return list(vars(module).values())[-1]


def told(item, answer, seed=0):
    """Return key and message of the verdict, which keeps to what is promised of every verdict."""
    verdict = grade(item, answer, seed)
    message = verdict.message
    assert message and "\n" not in message and len(message) < 400 and message[-1] in ".?", message
    assert (
        message[0].isupper()
        or message[0] == "`"
        or message.split()[0] in {one.name for one in item.returns} | {"torch"}
    )
    return verdict.key, message
