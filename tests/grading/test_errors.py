"""What a learner's code raises is put into words, by the everyday slip behind it where there is one."""

import re

import pytest
import torch

from course_lib import desk
from course_lib.content import Case, Returns
from course_lib.grading.grade import grade
from tests.grading.answers import CURVE, LAYER, MODULE, RELU, SHARE, exercise, in_file, told

TENSORS = exercise(
    lambda x, w: x @ w,
    lambda rng: [Case((torch.tensor(rng.normal(size=(n, 3))), torch.tensor(rng.normal(size=3)))) for n in (4, 2)],
    returns=(Returns("y", ("n",)),),
)

BY_ERROR = [
    ("caret", CURVE, "def f(x):\n    return x^3 + np.sin(x)"),
    ("caret", SHARE, "def f(h):\n    return (h ^ 2).sum()"),
    ("caret", CURVE, "def f(x):\n    return np.array([float(v) ^ 3 for v in x])"),
    ("truth-of-array", RELU, "def f(x):\n    if x > 0:\n        return x\n    return 0 * x"),
    ("truth-of-array", SHARE, "def f(h):\n    return 1 if h == 0 and h != 1 else 0"),
    ("truth-of-array", RELU, "def f(x):\n    return x + max(0, x) * 0.1"),
    ("math", CURVE, "def f(x):\n    return math.exp(x) + 1"),
    ("bool-mean", SHARE, "def f(h):\n    return (h == 0).mean(dim=0)[:2].sum()"),
    ("two-dtypes", TENSORS, "def f(x, w):\n    return x @ torch.tensor([1.0, 2.0, 3.0])"),
    ("array-for-tensor", CURVE, "def f(x):\n    return torch.relu(x)"),
    ("array-for-tensor", CURVE, "def f(x):\n    return x.clone() ** 3"),
    ("tensor-for-array", SHARE, "def f(h):\n    return h.astype(float).mean()"),
    ("shape-unpacked", LAYER, "def f(x, W, b):\n    n, d, k = x.shape\n    return x @ W + b"),
    ("shape-unpacked", LAYER, "def f(x, W, b):\n    (n,) = x.shape\n    return x @ W + b"),
    ("no-gradient", SHARE, "def f(h):\n    h.sum().backward()\n    return h.grad"),
    ("number-for-tensor", SHARE, "def f(h):\n    return torch.sqrt(2.0)"),
    ("called-value", LAYER, "def f(x, W, b):\n    return x(W) + b"),
    ("called-value", CURVE, "def f(x):\n    half = 0.5\n    return half(x) + x**3"),
    ("indexed-function", CURVE, "def f(x):\n    return np.sin[x]"),
    ("list-product", CURVE, "def f(x):\n    return 0.5 * list(x)"),
]
HEAD = "class Net(nn.Module):\n    def __init__(self, d_in, d_out):\n"
LAYERS = "        self.up = nn.Linear(d_in, d_out, dtype=torch.float64)\n"
MODULES = [
    ("super-init", HEAD + LAYERS + "    def forward(self, x):\n        return self.up(x).relu()"),
    (
        "forward-misspelled",
        HEAD + "        super().__init__()\n" + LAYERS + "    def foward(self, x):\n        return self.up(x).relu()",
    ),
    (
        "forward-indented",
        HEAD + "        super().__init__()\n" + LAYERS + "        def forward(self, x):\n            return self.up(x)",
    ),
    ("no-forward", HEAD + "        super().__init__()\n" + LAYERS),
]


@pytest.mark.parametrize(("name", "item", "source"), [*BY_ERROR, *((name, MODULE, source) for name, source in MODULES)])
def test_slip_by_its_error(name, item, source, tmp_path):
    answer = in_file(source, tmp_path)
    key, message = told(item, answer)
    assert key == f"slip:{name}", (key, message)
    assert grade(item, answer, 0).status == "stopped"
    if name == "forward-misspelled":
        assert "`foward`" in message
    if name == "forward-indented":
        assert "`__init__`" in message


def test_a_method_that_neither_kind_has(tmp_path):
    key, message = told(CURVE, in_file("def f(x):\n    return x.cubed()", tmp_path))
    assert key == "raises" and message.startswith("Your code raised AttributeError at `return x.cubed()`, because")


TODOS = {
    "raise NotImplementedError": "todo",
    "raise NotImplementedError('write me')": "todo",
    "raise NotImplementedError(\n        'in two lines'\n    )": "todo",
    "return helper(x)": "todo",
    "return torch.tensor([1.0]) ^ 3": "slip:caret",
    "return nn.Module()(x)": "raises",
}


@pytest.mark.parametrize("body", TODOS)
def test_only_the_learners_own_raise_is_a_todo(body, tmp_path):
    source = f"def helper(x):\n    raise NotImplementedError\n\ndef f(x):\n    {body}\n"
    assert told(CURVE, in_file(source, tmp_path))[0] == TODOS[body]


def test_a_raise_without_its_source_is_a_todo_as_well():
    made = {}
    exec("def f(x):\n    raise NotImplementedError", made)
    assert told(CURVE, made["f"])[0] == "todo"
    exec("import torch\ndef f(x):\n    return torch.tensor([1.0]) ^ 3", made)
    assert told(CURVE, made["f"])[0] == "slip:caret"


def test_a_function_that_cannot_be_called(tmp_path):
    key, message = told(LAYER, lambda x: x)
    assert (key, message) == ("raises", "Your function must take 3 arguments (x, W, b): look at its `def` line.")

    def xor_layer(x, W, b, more):  # its name makes no caret of it
        return x

    assert told(LAYER, xor_layer) == (key, message)
    assert told(LAYER, in_file("def f(x, W, b, more):\n    return x", tmp_path)) == (key, message)
    assert told(CURVE, lambda: 1)[1] == "Your function must take 1 argument (x): look at its `def` line."
    assert "raised TypeError at" in told(CURVE, lambda x: divmod(x))[1]  # this one takes what it must


def test_inputs_are_named_as_the_learner_names_them():
    assert (
        "The inputs were rows of shape (4, 3), W of shape (3, 2), b of shape (2,)."
        in told(LAYER, lambda rows, W, b: rows.nothing)[1]
    )


def test_errors_that_cannot_be_printed():
    class Odd(ValueError):
        def __str__(self):
            raise RuntimeError

    def f(x):
        raise Odd

    assert told(CURVE, f)[1].startswith("Your code raised Odd at `raise Odd`. The inputs")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("np.matmul(x.copy(), x.copy())", "because the shapes in a product do not fit together"),
        ("np.dot(x.copy(), x.copy())", "because shapes (4,3) and (4,3) do not fit together in a product"),
        ("torch.tensor(x) @ torch.tensor(x)", "because sizes 4x3 and 4x3 do not fit together in a product"),
        (
            "np.add(b, np.ones(3), casting='safe')",
            "because arrays of shapes (2,) and (3,) do not fit together value by value",
        ),
        ("torch.ones(2) * torch.ones(3)", "because sizes 2 and 3 meet, value by value"),
        (
            "np.ones((4, 2)).__setitem__(0, np.ones(3))",
            "because an array of shape (3,) does not fit into a place of shape (2,)",
        ),
        ("x @ V + c", "because no `V` has been defined or imported"),
        ("x.mull(W)", "because a NumPy array has no `mull`"),
        ("torch.ones(3).mull(W)", "because a torch tensor has no `mull`"),
        ("W.sum() @ x", "because a product got a single number where an array is needed"),
    ],
)
def test_errors_in_plainer_words(body, words, tmp_path):
    key, message = told(LAYER, in_file(f"def f(x, W, b):\n    return {body}", tmp_path))
    assert key == "raises" and words in message, message


def test_a_name_that_is_used_before_it_is_set(tmp_path):
    message = told(CURVE, in_file("def f(x):\n    y = 2 * y\n    return y", tmp_path))[1]
    assert message.startswith(
        "Your code raised UnboundLocalError at `y = 2 * y`, because `y` is used before it is set."
    )


def test_an_ambiguous_truth_elsewhere_keeps_its_words():
    def f(x):
        raise ValueError("the plural is ambiguous")

    assert "saying “the plural is ambiguous”" in told(CURVE, f)[1]


def test_an_endless_loop_is_told_with_the_numbers_in_its_condition(tmp_path):
    item = exercise(lambda d, m: -(-d // m) * m, [((7, 4),), ((8, 4),), ((23, 5),)])
    source = "def f(d, m):\n    d = d / 3\n    while d % m != 0:\n        d += 1\n    return d"
    key, message = told(item, in_file(source, tmp_path))
    assert key == "timeout"
    found = re.search(r"is there an endless loop\? When it was stopped, d was ([\d.]+) and m was 4\.$", message)
    assert found and float(found[1]) % 1, message
    key, message = told(item, in_file("def f(d, m):\n    while True:\n        d += 1", tmp_path))
    assert key == "timeout" and message.endswith("is there an endless loop?")


def test_a_black_box_shows_no_name():
    for id in ("build_the_ffn.which_bug", "bonus_experts.which_router_bug", "linear_limits.is_affine"):
        verdict = desk.grade(id, lambda f, *rest: f.__name__, 0)
        assert verdict.key == "slip:black-box" and "call it with inputs that you choose" in verdict.message


def test_a_return_that_gives_none_is_quoted(tmp_path):
    source = "def f(x):\n    y = x.copy()\n    kept = {}\n    return kept.get('y')"
    words = "Your function returned None: `kept.get('y')` is None there."
    assert told(CURVE, in_file(source, tmp_path)) == ("none", words)
    source = "def f(x):\n    for v in x:\n        if v > 1e9:\n            return x"
    key, message = told(CURVE, in_file(source, tmp_path))
    assert key == "none" and "did it reach its end without coming to a `return`? The inputs were x of shape" in message
    for source in (
        "def f(x):\n    y = x + 1\n    for v in y:\n        v *= 2",
        "def f(x):\n    if len(x) > 99:\n        return x\n    return",
        "def f(x):\n    if len(x) < 99:\n        return None\n    return x",
    ):
        key, message = told(CURVE, in_file(source, tmp_path))
        assert key == "none" and message.endswith("is the return statement missing?")
