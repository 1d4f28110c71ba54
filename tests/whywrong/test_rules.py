"""Rewrites that are written as rules."""

import ast

import pytest

from whywrong.fixes.rules import parse_rules
from whywrong.fixes.source import Source


def rewritten(written, code, parameters=()):
    """Return what rules make of an expression or a statement."""
    rules_of = (written,) if isinstance(written, str) else written
    (line,) = ast.parse(code).body
    node = line.value if isinstance(line, ast.Expr) else line
    return [ast.unparse(one) for one in parse_rules(*rules_of)(node, Source(None, [], {}, parameters))]


@pytest.mark.parametrize(
    ("rule", "code", "found"),
    [
        ("a / b -> a // b", "x[0] / (y + 1)", ["x[0] // (y + 1)"]),
        ("a / b -> a // b", "x * y", []),
        ("a / b -> a // b", "x", []),
        ("a * b -> a / b | a + b", "(x + 1) * y", ["(x + 1) / y", "x + 1 + y"]),
        ("-a -> a", "-x", ["x"]),
        ("-a -> a", "not x", []),
        ("a / b * c -> a / (b * c)", "x / y * z", ["x / (y * z)"]),
        ("a / b * c -> a / (b * c)", "x / (y * z)", []),
        ("a * a -> a ** 2", "(x + 1) * (x + 1)", ["(x + 1) ** 2"]),
        ("a * a -> a ** 2", "(x + 1) * (x + 2)", []),
        ("a < b <-> a > b", "x < 1", ["x > 1"]),
        ("a < b <-> a > b", "x > 1", ["x < 1"]),
        ("a < b <-> a > b", "0 < x < 1", []),
        ("a.T -> a", "x.T", ["x"]),
        ("a.T -> a", "x.t", []),
        ("x[:] -> x.copy()", "y[0][:]", ["y[0].copy()"]),
        ("x[:] -> x.copy()", "y[1:]", []),
        ("a if c else b -> b if c else a", "1 if x else 2", ["2 if x else 1"]),
        ("f(a, **k) -> f(-a, **k)", "np.exp(x)", ["np.exp(-x)"]),
        ("f(a, **k) -> f(-a, **k)", "np.exp(x, out=y)", ["np.exp(-x, out=y)"]),
        ("f(a, **k) -> f(-a, **k)", "np.add(x, y)", []),
        ("f(a, **k) -> f(-a, **k)", "print()", []),
        ("max(*a, **k) -> most(*a, **k)", "max(0, *x, key=y)", ["most(0, *x, key=y)"]),
        ("max(*a, **k) -> most(*a, **k)", "max()", ["most()"]),
        ("max(*a, **k) -> most(*a, **k)", "min(0, x)", []),
        ("x.mean(*a) -> mean(x, *a)", "(h == 0).mean(1)", ["mean(h == 0, 1)"]),
        ("x.mean(*a) -> mean(x, *a)", "(h == 0).mean(axis=1)", []),
        ("range(a) -> range(1, a)", "range(n)", ["range(1, n)"]),
        ("range(a) -> range(1, a)", "range(0, n)", []),
    ],
)
def test_rule(rule, code, found):
    assert rewritten(rule, code) == found


def test_the_first_form_that_fits_decides():
    both = "torch.mean(a) -> of_torch(a)", "x.mean(a) -> of(x, a)"
    assert rewritten(both, "torch.mean(h)") == ["of_torch(h)"] and rewritten(both, "h.mean(0)") == ["of(h, 0)"]


def test_a_letter_behind_the_arrow_alone_is_each_parameter():
    assert rewritten("a + b -> a + b * n", "x + 1", ("d", "f")) == ["x + 1 * d", "x + 1 * f"]
    assert rewritten("a + b -> a + b * n", "x + 1") == []


def test_an_operator_is_put_into_an_assignment_as_well():
    assert rewritten("a * b -> a / b | b + a | power(a, b)", "x[0] *= y + 1") == ["x[0] /= y + 1"]
    assert rewritten("a - b -> b - a", "x -= y") == []


@pytest.mark.parametrize("rule", ["a + b", "a + -> a", "a + b => a"])
def test_what_is_no_rule_is_refused(rule):
    with pytest.raises((ValueError, SyntaxError)):
        parse_rules(rule)
