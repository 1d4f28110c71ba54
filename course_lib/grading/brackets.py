"""Put one pair of brackets into a learner's expression, wherever a sum in it could be meant as one."""

import ast

MOST_PARTS = 9  # of an expression


def bracketed(node: ast.AST, source) -> list[ast.expr]:
    """Return a sum, a difference or a product with a sum in it, with brackets around each run of its parts.

    Args:
        node: a node of the learner's code.
        source: the code it stands in.
    """
    if not isinstance(node, ast.BinOp):
        return []
    if sum(isinstance(one, ast.BinOp) for one in ast.walk(node)) > 3 * MOST_PARTS:
        return []
    parts, signs = [], []
    _flatten(node, source, parts, signs)
    if not 3 <= len(parts) <= MOST_PARTS:
        return []
    written = [f"({ast.unparse(part)})" for part in parts]
    found = []
    for first in range(len(parts)):
        for last in range(first + 1, len(parts)):
            inside = signs[first:last]
            around = signs[max(first - 1, 0) : first] + signs[last : last + 1]
            if len(inside) == len(signs) or not set(inside) & {"+", "-"} or not around:
                continue
            tokens = [*written]
            tokens[first] = "(" + tokens[first]
            tokens[last] += ")"
            text = tokens[0] + "".join(f" {sign} {token}" for sign, token in zip(signs, tokens[1:], strict=True))
            found.append(ast.parse(text, mode="eval").body)
    return found


_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.MatMult: "@", ast.FloorDiv: "//"}


def _flatten(node, source, parts, signs):
    """Take an expression apart into its parts and the signs between them, as far as no brackets stand around them."""
    if not isinstance(node, ast.BinOp) or type(node.op) not in _SIGNS:
        parts.append(node)
        return
    for side, other in ((node.left, "left"), (node.right, "right")):
        if other == "right":
            signs.append(_SIGNS[type(node.op)])
        if _has_brackets(node, side, other):
            parts.append(side)
        else:
            _flatten(side, source, parts, signs)


def _has_brackets(node, side, which):
    """Tell whether a side of an operation must have stood in brackets, by the ranks of the two operators."""
    if not isinstance(side, ast.BinOp) or type(side.op) not in _SIGNS:
        return False
    outer, inner = (isinstance(one.op, (ast.Add, ast.Sub)) for one in (node, side))
    if which == "right":
        return inner or not outer
    return inner and not outer
