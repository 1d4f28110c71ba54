"""A reply says of an answer only what is so: no name that is not in it, no fact that was not tested."""

import re

import pytest

from tests.golden import book, items, law
from tests.golden.cells import answer
from tests.golden.rows import exercises, rows
from whywrong import errors
from whywrong.judge import grade

# An answer whose error has the words of a row of errors.toml and not its fact -> what the row would say of it.
UNSAID = [
    ("CURVE", "def f(x):\n    n, d = np.split(np.ones(x.shape), 7)\n    return n", "unpacks a shape"),
    ("CURVE", "np.bitwise_xor(x, x)", "is not a power"),
    ("CURVE", "np.ptp(x > 0)", "~(x > 0)"),
    ("CURVE", "np.maximum(np.gradient(x))", "differences"),
    ("CURVE", "(x.max() > 0).double()", "return two things"),
    ("CURVE", "np.dot(x, x, axis=0)", "tensor"),
    ("CURVE", "np.exp(x, axis=-1)", "tensor"),
    ("CURVE", "np.sort(x, keepdim=True)", "keepdims"),
    ("CURVE", "np.maximum(x.sum(), dim=0)", "torch's word"),
    ("CURVE", "sum([(1, 2)])", "One side"),
    ("CURVE", "list(map(np, x))", "module `list`"),
    ("COUNT", "sum([d], [])", "the other side"),
    ("CURVE", "print(x.copy().sort() or None)[0]", "Methods such as"),
    ("CURVE", "np.einsum('i->k', x)", "as many letters"),
    ("CURVE", "int('5.0') * x", "quotes"),
    ("CURVE", "x * np.array([[1, 1] [1, 1]])", "indexed like an array"),
    ("CURVE", "x * np.array([[0.5, 1] [1.5, 1.5]])", "`//`"),
    ("CURVE", "x.astype(3)", "A shape is one tuple"),
    ("CURVE", "np.ones((4, 2), 3)", "A shape is one tuple"),
    ("CURVE", "np.array(x, 3)", "All rows"),
    ("CURVE", "np.concatenate([x, x], axis=x)", "put them in a list"),
    ("CURVE", "def f(x):\n    parts = [x, x]\n    return np.stack(parts, x)", "put them in a list"),
    ("CURVE", "'abc'[x]", "a list or a tuple, which"),
    ("CURVE", "np.stack([x, x[1:]])", "cut short"),
    ("CURVE", "sorted([1, 2], key=lambda: 0)", "`sorted` is called"),
    ("CURVE", "def norm(y):\n    return np.sum(y)\ndef f(x):\n    return np.sort(norm(x))", "without `axis`"),
    ("CURVE", "(1, 2)[5]", "the shape has"),
    ("CURVE", "{1}.remove(3)", "the dict"),
    ("CURVE", "np.sqrt(10**30)", "NumPy gets"),
    ("CURVE", "[1] * [2]", "by a float"),
    ("CURVE", "max(x, key=3)", "Python's own function"),
    ("CURVE", "list(map(3, x))", "round brackets after"),
    ("CURVE", "math.pi * float(x)", "functions of `math`"),
    ("TENSORS", "torch.relu(x.sort(dim=0))", "`max`"),
    ("TENSORS", "torch.relu((1, 2))", "got a list"),
    ("TENSORS", "def transpose(a, b):\n    return a\ndef f(x, W):\n    return transpose(x, W, 1)", "A tensor's"),
    ("TENSORS", "torch.argsort(x, reverse=True)", "function of `np`"),
    ("TENSORS", "x.maximum(0)", "`torch.maximum`"),
    ("TENSORS", "x.mean(dim=-3)", "because axes are counted"),
    ("TENSORS", "x.sum().mean(dim=1)", "last axis is number 0"),
    ("TENSORS", "x.long().mean()", "mean of True and False"),
    ("TENSORS", "torch.autograd.grad(x.requires_grad_() * 2, x)", "`backward()`"),
    ("TENSORS", "x.long() @ W.int()", "a tensor of floats"),
    ("TENSORS", "torch.erf(math.sqrt(2)) * x", "root"),
    ("TENSORS", "[nn.Linear(3, 2)](x)", "comma"),
    ("TENSORS", "def f(x, W):\n    y = [nn.Linear(3, 2)]\n    return y(x)", "as in `x.T`"),
    ("TENSORS", "def f(x, W):\n    x.requires_grad_().sum().backward()\n    return print(x) * x.grad", "`.grad`"),
    ("CALLED", "net + x", "`nn.Linear("),
    ("CALLED", "net(net)", "a Linear module"),
    ("STREAM", "norm[x]", "ufunc"),
    ("COUNT", "(d * 1.5 | f) > 0", "compares anything"),
    ("COUNT", "np.zeros_like([np.ones(2), np.ones(3)])", "joins rows"),
    (
        "MODULE",
        """class Net(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.ups = nn.ModuleList([nn.Linear(d_in, d_out)])

    def forward(self, x):
        return self.ups(x)
""",
        "no method `forward`",
    ),
    (
        "MODULE",
        """class Net(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.up = nn.Linear(d_in, d_out)

    @staticmethod
    def act(x):
        return x

    def forward(self, x):
        return self.act(x, 1)
""",
        "must be `self`",
    ),
    (
        "MODULE",
        """class Net(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.up = nn.Linear(d_in, d_out, dtype=torch.float16)

    def forward(self, x):
        return nn.ReLU()(self.up(x))
""",
        "inside `forward`",
    ),
]


@pytest.mark.parametrize(("item", "source", "words"), UNSAID, ids=[words for _, _, words in UNSAID])
def test_a_row_is_silent_where_its_fact_is_not_so(item, source, words):
    given = answer(items.whole(item, source), items.NAMES)
    verdict = grade(items.ITEMS[item], given, 0)
    assert verdict.status == "stopped" and words not in verdict.message, verdict.message


def test_no_reply_places_what_is_not_in_the_answer():
    found = []
    for id in exercises():
        for row in rows(id):
            code = row.code or "\n".join(line[2:] for line in row.title.splitlines() if line.startswith("+ "))
            for message in book.kept(id)[row.title].splitlines() if code else ():
                parts = re.match(r"In `\w+`: ", message)  # what is said of a returned part
                if not parts and not re.match(r"[|>] ", message):
                    absent = [quoted for quoted in law.placed(message) if not law.stands(quoted, code)]
                    found += [(id, row.name, quoted) for quoted in absent]
    assert found == []


def test_no_name_from_inside_reaches_a_learner():
    kept = "\n".join(says for id in exercises() for says in book.kept(id).values())
    assert re.findall(r"\bargument \d of shape|'_\w+' object|\bSpy\b|builtin_function_or_method", kept) == []
    assert all("builtin_function" not in row["says"] for row in errors._read_table()["errors"] if "says" in row)
