"""What an error says in plain words: habits of other languages, and values of another kind than they are taken for."""

import ast
import re
import sys

import numpy as np

from course_lib.grading.said import SAID
from course_lib.grading.shapes import failed_at

# Names and methods that other languages have, and what Python writes.
_NAMES = {
    "Math": "in Python the functions for arrays are called `np.…`, those for single numbers `math.…`",
    "parseInt": "Python writes `int(…)`",
    "parseFloat": "Python writes `float(…)`",
    "console": "Python writes `print(…)`",
    "null": "Python writes `None`",
    "undefined": "Python writes `None`",
    "true": "Python writes `True`",
    "false": "Python writes `False`",
    "length": "Python writes `len(…)`",
    "math": "`import math` at the top of the cell makes it known",
    "F": "`torch.nn.functional` is its full name",
    "nn": "`torch.nn` is its full name",
    "plt": "this exercise only computes",
    "pi": "Python writes `np.pi`",
    "exp": "for arrays it is `np.exp`, for tensors `torch.exp`",
    "sqrt": "for arrays it is `np.sqrt`, for tensors `torch.sqrt`; for a number `… ** 0.5` will do",
    "erf": "for tensors it is `torch.erf`",
    "tanh": "for arrays it is `np.tanh`, for tensors `torch.tanh`",
    "relu": "for arrays `np.maximum` goes value by value, and tensors have `torch.relu`",
    "gelu": "for tensors it is `torch.nn.functional.gelu`",
    "softmax": "write it from `np.exp` and a sum with `keepdims=True`",
    "zeros": "Python writes `np.zeros(…)`",
    "array": "Python writes `np.array(…)`",
}
_METHODS = {
    "length": "`len(x)` is the number of rows, and `x.size` that of all values",
    "len": "`len(x)` is the number of rows, and `x.size` that of all values",
    "map": "a formula goes over every value by itself, as in `x + 1`",
    "forEach": "a formula goes over every value by itself, as in `x + 1`",
    "apply": "a formula goes over every value by itself, as in `x + 1`",
    "filter": "a condition in square brackets chooses values, as in `x[x > 0]`",
    "reduce": "`.sum()`, `.max()` and `.mean()` do that",
    "push": "collect in a list with `append`, and make an array of it in the end",
    "append": "collect in a list, and make an array of it in the end",
    "concat": "`np.concatenate([a, b])` joins arrays",
    "extend": "collect in a list, and make an array of it in the end",
    "count": "`(x == 0).sum()` counts where something holds",
    "slice": "square brackets take a part out, as in `x[1:3]`",
    "includes": "`value in x` asks that",
    "index": "`np.argmax(x == value)` finds the first place",
    "relu": "`np.maximum` goes value by value",
    "exp": "`np.exp(x)` takes a whole array",
    "sqrt": "`np.sqrt(x)` takes a whole array",
    "abs": "`np.abs(x)` takes a whole array",
    "tanh": "`np.tanh(x)` takes a whole array",
    "toFixed": "`round(x, digits)` rounds a number",
}
_UNLIKE = {  # what one side of an operation is, when it cannot be computed with
    "list": "One side of {} is a list, and lists know no arithmetic: `np.array(…)` makes an array of it.",
    "tuple": "One side of {} is a tuple: round brackets with a comma put values side by side, and compute nothing.",
    "NoneType": "One side of {} is None: something that has been called there returns nothing.",
    "function": "One side of {} is a function that has not been called: its name needs round brackets behind it.",
    "method": "One side of {} is a method that has not been called: its name needs round brackets behind it.",
    "builtin_function_or_method": "One side of {} is a function that has not been called: round brackets are missing.",
    "map": "One side of {} is a `map`, which has not run yet: a formula goes over a whole array by itself.",
    "generator": "One side of {} is a generator, which has not run yet: square brackets around it make a list.",
    "str": "One side of {} is a word in quotes, and not a number.",
    "dict": "One side of {} is a dict, which cannot be computed with.",
    "type": "One side of {} is a class that has not been called.",
}
_OPERANDS = re.compile(
    r"(?:unsupported operand type\(s\) for (?P<sign>[^:]+)|'(?P<compared>[<>]=?)' not supported between instances of"
    r"|bad operand type for unary (?P<unary>.)|bad operand type for abs\(\))"
    r":? '(?P<one>[\w.]+)'(?:,? and '(?P<other>[\w.]+)')?"
)


# What becomes of np.mean, np.sum and np.max of a torch tensor.
_REDUCED_BY_NUMPY = r"\) got an unexpected keyword argument 'axis'|argument 'dim' must be int, not NoneType"


def of_error(error: Exception, words: str) -> tuple[str, str] | None:
    """Return a name and a sentence for an error whose cause its own words tell, or None.

    Args:
        error: what the learner's code raised; words: its message.
    """
    found = _function_for_values(error)
    if found:
        return found
    if isinstance(error, NameError) and not isinstance(error, UnboundLocalError):
        found = re.match(r"name '(\w+)' is not defined", words)
        if found and found[1] in _NAMES:
            return "unknown-name", f"No `{found[1]}` has been defined or imported here: {_NAMES[found[1]]}."
        return None
    if isinstance(error, AttributeError):
        return _missing(error, words)
    if isinstance(error, TypeError):
        found = _OPERANDS.match(words)
        if found:
            return _operands(found, error)
    code = _code(error)
    found = _called_module(error, words)
    if found:
        return found
    if isinstance(error, RuntimeError) and "Can't call numpy() on Tensor" in words and code.startswith("`np."):
        return "tensor-for-array", f"In {code} a function of `np` got a torch tensor: torch has one of its own."
    if isinstance(error, TypeError) and code.startswith("`np.") and re.search(_REDUCED_BY_NUMPY, words):
        says = f"In {code} a function of `np` got a torch tensor: call the tensor's own method, such as `.sum()` or "
        return "tensor-for-array", says + "`.mean()`; its `dim` is what NumPy calls `axis`."
    for kind, said, name, says in SAID:
        found = re.search(said, words) if isinstance(error, kind) else None
        if found:
            return name, says.format(*found.groups(), code=code)
    return None


def _function_for_values(error):
    """Say that a function was handed to one of the functions of the exercise, where values are wanted."""
    node, text, frame = failed_at(error) or (None, "", None)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    handed_in = frame.f_code.co_varnames[: frame.f_code.co_argcount]
    if node.func.id not in handed_in or not callable(frame.f_locals.get(node.func.id)):
        return None
    for arg in node.args:
        if isinstance(arg, ast.Name) and arg.id in handed_in and callable(frame.f_locals.get(arg.id)):
            return "function-for-values", f"In `{text}` the function `{arg.id}` is handed on, and not what it gives."
    return None


def _called_module(error, words):
    """Say that a module of Python was called, and whether the object has a part of that name."""
    node, text, frame = failed_at(error) or (None, "", None)
    if "'module' object is not callable" not in words or not isinstance(node, ast.Call):
        return None
    name = ast.unparse(node.func)
    has = hasattr(frame.f_locals.get("self"), name)
    own = f" The part of your class is called `self.{name}`." if has else " What is in it is called with a dot."
    return "called-module", f"In `{text}` an imported module is called, `{name}`.{own}"


def _code(error):
    place = failed_at(error)
    return f"`{place[1]}`" if place and len(place[1]) <= 60 else "this line"


def _missing(error, words):
    """Say what to write in place of an attribute that a value does not have."""
    found = re.match(r"'(?P<kind>[\w.]+)' object has no attribute '(?P<name>\w+)'", words)
    if not found:
        return _missing_function(words)
    kind, name = found["kind"].rpartition(".")[2], found["name"]
    if _is_black_box(getattr(error, "obj", None)):
        says = f"`{name}` was asked of a black box, which does not show how it is made: call it with inputs that you "
        return "black-box", says + "choose, and look at what comes back."
    if _is_module_class(type(getattr(error, "obj", None))):
        return "no-part", f"This {kind} has no part called `{name}`; its parts are {', '.join(_parts(error.obj))}."
    if kind in ("list", "tuple", "map", "generator", "range") and hasattr(np.ndarray, name):
        article = f"A {kind}" if kind != "map" else "A `map`"
        return (
            "list-for-array",
            f"{article} has no `{name}`: `np.array(…)` makes an array of a list, and an array has it.",
        )
    if kind == "bool" and tensor_method(name) and re.search(r"\.(max|min)\(", _code(error)):
        says = f"`{name}` was asked of one True or False: torch's `max` and `min` along an axis give two things, the "
        return "max-pair", says + "values and their places; `amax` and `amin` give the values alone."
    if kind == "bool" and hasattr(np.ndarray, name):
        return (
            "one-truth",
            f"`{name}` was asked of one True or False: a list that is compared gives one, an array many.",
        )
    if kind in ("int", "float") and hasattr(np.ndarray, name):
        return (
            "number-for-array",
            f"`{name}` was asked of a single number of Python: it is there already, so leave it out.",
        )
    if kind in ("ndarray", "Tensor", "float64") and name in _METHODS:
        of = {"ndarray": "A NumPy array", "Tensor": "A torch tensor", "float64": "A number"}[kind]
        return "no-method", f"{of} has no `{name}`: {_METHODS[name]}."
    if kind in ("NoneType",):
        return "none", f"`{name}` was asked of None: something that has been called before returns nothing."
    if kind in ("function", "method", "builtin_function_or_method"):
        return "not-called", f"`{name}` was asked of a function that has not been called: round brackets are missing."
    return None


def _missing_function(words):
    found = re.match(r"module '(numpy|torch|math)' has no attribute '(\w+)'", words)
    if not found:
        return None
    short = {"numpy": "np"}.get(found[1], found[1])
    others = [("np", np), ("torch", sys.modules.get("torch")), ("math", sys.modules.get("math"))]
    if short == "np" and found[2] in ("int", "float", "bool"):
        return "no-function", f"NumPy has no `{found[2]}` any more: Python's own `{found[2]}(…)` does it."
    if short == "np" and found[2] == "erf":
        return "no-function", "NumPy has no `erf`: `math.erf` takes one number, `torch.erf` a tensor."
    has = [name for name, module in others if name != short and hasattr(module, found[2])]
    if short in ("np", "torch") and found[2] in ("relu", "ReLU"):
        return "no-function", f"`{short}` has no `{found[2]}`: `np.maximum` and `torch.relu` go value by value."
    also = f" `{has[0]}` has one, for its own kind of values." if has else ""
    return "no-function", f"`{short}` has no function called `{found[2]}`.{also}"


def _parts(module):
    own = [name for name in vars(module) if not name.startswith("_") and name != "training"]
    return [f"`{name}`" for name in dict.fromkeys([*dict(module.named_children()), *module._parameters, *own])][:8]


def _is_black_box(thing):
    """Tell whether something is one of the course's own functions in disguise, as exercises hand them out."""
    kind = type(thing)
    own = str(getattr(kind, "__module__", "")).startswith("course_lib.")
    return own and callable(thing) and not _is_module_class(kind)


def _is_module_class(kind):
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(kind, torch.nn.Module)


def tensor_method(name: str) -> bool:
    """Tell whether torch's tensors have a method of this name."""
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch.Tensor, name)


def layer_named(kind: str) -> bool:
    """Tell whether torch.nn has a module class of this name."""
    torch = sys.modules.get("torch")
    one = getattr(torch.nn, kind, None) if torch is not None else None
    return isinstance(one, type) and issubclass(one, torch.nn.Module)


def _operands(found, error):
    where = _code(error).replace("this line", "an operation")
    for kind in (found["one"], found["other"]):
        if kind is not None and layer_named(kind):
            says = f"One side of {where} is a {kind} module: `nn.{kind}(…)` makes one, "
            return "module-not-called", says + "and calling that on a tensor computes."
    if found["sign"] in ("|", "&") and "float" in (found["one"], found["other"]):
        return "bits", f"In {where} `{found['sign']}` works on the bits of whole numbers: `int(…)` cuts a fraction off."
    for kind in filter(None, (found["one"], found["other"])):  # a minus has one side
        if kind in _UNLIKE or _is_called(kind, error):
            return "operand", _UNLIKE.get(kind, _UNLIKE["function"]).format(where)
    return None


def _is_called(kind, error):
    """Tell whether a value of this kind that the failing line knows, by itself or in a list, is there to be called."""
    frame, kind = (failed_at(error) or (None, "", None))[2], kind.rpartition(".")[2]
    known = [] if frame is None else list(frame.f_locals.values())
    known += [one for several in known if isinstance(several, (list, tuple)) for one in several]
    return any(type(one).__name__ == kind and callable(one) for one in known)
