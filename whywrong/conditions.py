"""What the rows of errors.toml ask of an error beyond its words: the code that raised it, and the values there."""

import ast
import builtins
import difflib
import inspect
import re
import sys
import traceback
import types
from collections.abc import Iterable
from functools import cached_property

import numpy as np

from whywrong import sandbox
from whywrong.fixes.source import LONGEST, find_source
from whywrong.shapes import find_failing_code, find_value, quote_line

# What torch has and NumPy has not, where torch cannot be asked: methods of its tensors, and functions.
TORCH_METHODS = (
    "abs add backward bmm clone contiguous cpu detach dim div double erf exp expand float gather half "
    "index_select int log long masked_fill matmul mm mul norm numel numpy permute pow relu requires_grad_ "
    "rsqrt scatter sigmoid softmax split sqrt square t tanh topk tril triu type_as unflatten unsqueeze "
    "zero_"
)
TORCH_FUNCTIONS = (
    "bmm cat clone erf gather is_tensor logsumexp manual_seed masked_select mm no_grad numel permute rand "
    "randn relu rsqrt scatter sigmoid softmax tensor topk unsqueeze"
)


class Raised:
    """An error of an answer: its words, and the line and the code that raised it."""

    def __init__(self, outcome: sandbox.Outcome, words: str, answer: object):
        self.error, self.line, self.own = outcome.error, outcome.line, outcome.own
        self.words, self.answer = words, answer
        self.kinds = {kind.__name__ for kind in type(self.error).__mro__}

    @cached_property
    def frames(self) -> list[types.FrameType]:
        """The learner's frame that was running, and the one around it if it is that of a comprehension or a lambda."""
        steps = [frame for frame, _ in traceback.walk_tb(self.error.__traceback__)]
        outermost_first = [frame for frame in steps if sandbox.is_learners(frame.f_code.co_filename)]
        frames = []
        for frame in reversed(outermost_first):
            frames.append(frame)
            if not frame.f_code.co_name.startswith("<"):
                break
        return frames

    @cached_property
    def innermost(self) -> types.FrameType | None:
        """The frame that raised it, the learner's or a library's; None if nothing ran."""
        return next((frame for frame, _ in reversed([*traceback.walk_tb(self.error.__traceback__)])), None)

    @cached_property
    def place(self) -> tuple[ast.expr | None, str, types.FrameType | None]:
        """The expression that raised it, its text and the frame it ran in."""
        return find_failing_code(self.error) or (None, "", None)

    @cached_property
    def parts(self) -> str:
        """What the code that failed is made of, one part in a line: its text and the kind of its value, if known.

        What is called comes first, as in "call np.sum: function". What a library's own code had in its variables comes
        last, as in "tensor in numpy".
        """
        node, _, frame = self.place
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)] if node is not None else []
        call = getattr(node, "func", None)
        lines = [f"{'call ' * (part is call)}{ast.unparse(part)}: {_find_kind_at(part, frame)}" for part in parts]
        inner = self.innermost
        if inner is not None and not sandbox.is_learners(inner.f_code.co_filename):
            lines += [f"{find_kind(one)} in {inner.f_globals.get('__name__')}" for one in inner.f_locals.values()]
        return "\n".join(lines)

    def quote(self) -> str:
        """Return the code that raised it in backticks; if it is unknown or long, its line."""
        node, text, _ = self.place
        return f"`{text}`" if node is not None and len(text) <= LONGEST else quote_line(self.line)

    @cached_property
    def methods(self) -> dict[str, ast.FunctionDef] | None:
        """The methods of a class that has no forward, by name; None for anything else."""
        is_its = f"[{getattr(self.answer, '__name__', '')}]" in self.words and not self.own
        methods = _read_methods(self.answer) if is_its else None
        return None if methods is None or "forward" in methods else methods


def _read_methods(answer: object) -> dict[str, ast.FunctionDef] | None:
    """Return the methods of a class, by name; None if it is no class, or its code cannot be read."""
    source = find_source(answer)
    if source is None or not isinstance(source.definition, ast.ClassDef):
        return None
    return {node.name: node for node in source.definition.body if isinstance(node, ast.FunctionDef)}


def meet(when: str, raised: "Raised", *groups: str) -> str | None:
    """Return what a condition finds, for the sentence of its row; None if it is not met.

    Args:
        when: the name of the condition, that of a function `_find_…` below.
        raised: the error.
        groups: of the row's pattern, in the error's words.
    """
    return globals()["_find_" + when](raised, *groups)


# ---- conditions of rows: (raised, row, the groups of its pattern) -> a word for the sentence, or None ----------------


_DISPLAYS = {ast.List: "list", ast.ListComp: "list", ast.Tuple: "tuple", ast.Dict: "dict", ast.Lambda: "function"}


def _find_kind_at(node: ast.expr, frame: types.FrameType) -> str:
    """Return the kind of the value of a part of some code, without running anything of it; "" if it is not known."""
    if isinstance(node, ast.Call):  # of a class
        made = find_value(node.func, frame)
        return ("layer" if _is_module_class(made) else made.__name__) if isinstance(made, type) else ""
    value = node.value if isinstance(node, ast.Constant) else find_value(node, frame)
    return _DISPLAYS.get(type(node), "") if value is None else find_kind(value)


def find_kind(value: object) -> str:
    """Return the kind of a value, such as "array", "class", "layer", "list of layers" or "function of the exercise"."""
    if isinstance(value, type):
        return "class"
    if isinstance(value, (list, tuple)):
        kinds = {"list" if isinstance(one, list) else find_kind(one) for one in value}
        kind = type(value).__name__
        return f"{kind} of {kinds.pop()}s" if len(kinds) == 1 else kind
    if _is_module_class(type(value)):
        return "layer"
    kinds = {"ndarray": "array", "Tensor": "tensor", "Parameter": "tensor"}
    kind = kinds.get(type(value).__name__) or ("function" if callable(value) else type(value).__name__)
    if kind == "function" and sandbox.is_ours(str(type(value).__module__)):
        return "function of the exercise"
    owner = find_kind(getattr(value, "__self__", None)) if inspect.isroutine(value) else ""
    return f"method of {owner}" if owner in kinds.values() else kind


def _is_module_class(kind: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(kind, type) and issubclass(kind, torch.nn.Module)


def _known_names(raised: Raised, name: str) -> dict[str, object]:
    """Return the known names that an unknown one may stand for, with their values: those that fit how it is used."""
    functions = {known: value for known, value in vars(builtins).items() if callable(value)}
    other_names = {**functions, **(raised.frames[0].f_globals if raised.frames else {})}
    use = _find_use(raised, name)
    fits = callable if isinstance(use, ast.Call) else _is_plain_value
    if isinstance(use, ast.Attribute):
        fits = lambda value: hasattr(value, use.attr)  # noqa: E731
    fitting = {known: value for known, value in other_names.items() if fits(value) and not known.startswith("_")}
    local_names = [one for frame in reversed(raised.frames) for one in frame.f_locals.items()]
    return fitting | {known: value for known, value in local_names if use is None or fits(value)}


def _is_plain_value(value: object) -> bool:
    return not callable(value) and not isinstance(value, types.ModuleType)


def _find_use(raised: Raised, name: str) -> ast.AST | None:
    """Return the call or the attribute that the unknown name is part of: `name(…)` or `name.part`; None if neither."""
    try:
        tree = ast.parse(raised.line)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        inner = getattr(node, "func", None) or (node.value if isinstance(node, ast.Attribute) else None)
        if isinstance(inner, ast.Name) and inner.id == name:
            return node
    return None


def _find_name_in_other_case(raised: Raised, name: str) -> str | None:
    """Return a known name that differs from an unknown one in capital letters only."""
    for known, value in reversed(_known_names(raised, name).items()):
        if known.lower() == name.lower() and not isinstance(value, types.ModuleType):
            return known
    return None


def _find_asked_name(raised: Raised, name: str) -> str | None:
    """Return "" if the docstring of the answer has an unknown name that no line sets, as it is or misspelled."""
    source = find_source(raised.answer)
    docstring = ast.get_docstring(source.definition) if source is not None else None
    if not re.search(rf"\b{name}\b", docstring or ""):
        return None
    nodes = ast.walk(source.definition)
    names_set = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return None if {name, _find_similar_name(raised, name)} & names_set else ""


def _find_similar_name(raised: Raised, name: str) -> str | None:
    """Return a known name with a spelling close to an unknown one, or the short name of a module."""
    known_names = _known_names(raised, name)
    for known, value in known_names.items():
        if isinstance(value, types.ModuleType) and value.__name__ == name:
            return known
    one_letter_off = [known for known in known_names if abs(len(known) - len(name)) <= 1]  # `bias` is not `biases`
    return _find_closest(name, one_letter_off, cutoff=0.75)


def _find_closest(name: str, known_names: Iterable[str], cutoff: float = 0.8) -> str | None:
    return next(iter(difflib.get_close_matches(name, known_names, n=1, cutoff=cutoff)), None)


def _find_parameters(raised: Raised, *groups: str) -> str | None:
    """Return the names of the arguments of the function that failed, if there are several."""
    source = find_source(raised.answer)
    names = source.parameters if source is not None else []
    return ", ".join(names) if len(names) > 1 else None


def _find_similar_method(raised: Raised, *groups: str) -> str | None:
    """Return a method or attribute of the value with a spelling close to the one that it was asked for."""
    value = getattr(raised.error, "obj", None)
    return _find_closest(groups[-1], [name for name in dir(type(value)) if not name.startswith("_")])


def _find_numpy_function(raised: Raised, name: str) -> str | None:
    """Return "" if NumPy has a function with this name; a number type, such as np.double, does not count."""
    known = getattr(np, name, None)
    return "" if callable(known) and not isinstance(known, type) else None


def _find_similar_function(raised: Raised, module: str, name: str) -> str | None:
    """Return a function of a library with a spelling close to the one that it was asked for."""
    names = [known for known in dir(sys.modules.get(module)) if not known.startswith("_")]
    in_other_case = (known for known in names if known.lower() == name.lower())
    return next(in_other_case, None) or _find_closest(name, names)


def _describe_call(raised: Raised) -> str:
    """Say how what was called is called, as far as its documentation or its code tells; "" if that is not known."""
    name = _find_call(raised)
    called = find_value(raised.place[0].func, raised.place[2]) if name else None
    try:
        called = called if isinstance(called, type) else getattr(called, "forward", called)
        text = (getattr(called, "__doc__", None) or "").strip().partition("\n")[0]
        text = text if re.match(r"[\w.]+\(", text) else str(inspect.signature(called))
    except Exception:
        return ""
    found = re.findall(r"[(,*] *\[?([^\W_]\w*)(?:: [^,=)]*)? *(=?)", text.partition(" -> ")[0])
    names = [known + "=…" * bool(sign) for known, sign in found]
    return f" The call is {name}({', '.join(names[:6] + ['…'] * (len(names) > 6))})."


def _find_unknown_argument(raised: Raised, *groups: str) -> str | None:
    """Say which keyword of a call is unknown to what is called, or to a message about it, and how it is called."""
    keywords = [one.arg for one in getattr(raised.place[0], "keywords", ())]
    call = _describe_call(raised)
    unknown = [name for name in keywords if (name not in re.findall(r"\w+", call) if call else name in groups)]
    return f"`{_find_call(raised)}` has no argument `{unknown[-1]}`.{call}" if unknown else None


def _find_count(raised: Raised, name: str) -> str | None:
    """Say what was called with a different number of arguments than it takes, and how it is called."""
    called = _find_callee(raised, name)
    says = f"`{called}` is called with a different number of arguments than it takes."
    return called and says + _describe_call(raised)


def _find_callee(raised: Raised, name: str, *groups: str) -> str | None:
    """Return the function that got the wrong arguments: as the code that failed calls it, or by its own name."""
    called = _find_call(raised)
    value = find_value(raised.place[0].func, raised.place[2]) if called else None
    own = ((called or "").rpartition(".")[2], getattr(value, "__name__", "<lambda>"), "__call__")
    own += ("__init__",) * isinstance(value, type) + ("forward",) * _is_module_class(type(value))
    return called if called is None or name in own else None if name.startswith(("_", "<")) else name


def _find_misspelled_init(raised: Raised, name: str, *groups: str) -> str | None:
    """Return the name of a method that is close to "__init__", if a class has no method of this name."""
    methods = _read_methods_of(raised, name) or ()
    return None if "__init__" in methods else _find_closest("__init__", methods, cutoff=0.6)


def _find_no_init(raised: Raised, name: str, *groups: str) -> str | None:
    """Return "" if a class has no `__init__`."""
    methods = _read_methods_of(raised, name)
    return None if methods is None or "__init__" in methods else ""


def _find_init_parameters(raised: Raised, name: str, *groups: str) -> str | None:
    """Return the parameters of the `__init__` of a class, as they are written."""
    method = (_read_methods_of(raised, name) or {}).get("__init__")
    return ast.unparse(method.args) if method is not None else None


def _read_methods_of(raised: Raised, name: str) -> dict[str, ast.FunctionDef] | None:
    """Return the methods of the class that was handed in, by name; None if the class has a different name.

    Inside its own `__init__`, an error of this name comes from `super().__init__(…)`, which is another function.
    """
    is_inside = any(frame.f_code.co_name == "__init__" for frame in raised.frames)
    return _read_methods(raised.answer) if getattr(raised.answer, "__name__", "") == name and not is_inside else None


def _find_parts_of_module(raised: Raised, *groups: str) -> str | None:
    """Return the names of the parts of the torch module that was asked for an attribute."""
    module = getattr(raised.error, "obj", None)
    if not _is_module_class(type(module)):
        return None
    own = [name for name in vars(module) if not name.startswith("_") and name != "training"]
    parts = [f"`{name}`" for name in dict.fromkeys([*dict(module.named_children()), *module._parameters, *own])]
    return ", ".join(parts[:8]) or "none"


def _find_array_method(raised: Raised, *groups: str) -> str | None:
    """Return "" if NumPy's arrays have a method with the name in the last group."""
    return "" if hasattr(np.ndarray, groups[-1]) else None


def _find_tensor_method(raised: Raised, *groups: str) -> str | None:
    """Return "" if torch's tensors have a method with the name in the last group."""
    torch, name = sys.modules.get("torch"), groups[-1]
    known = hasattr(torch.Tensor, name) if torch is not None else name in TORCH_METHODS.split()
    return "" if known else None


def _find_in_another_library(raised: Raised, module: str, name: str) -> str | None:
    """Return the full name, in another library, of what a module lacks, and what it is for."""
    known = {"np": "numpy", **{one: one for one in ("torch", "torch.nn", "torch.nn.functional", "math")}}
    told = {} if "torch" in sys.modules else {"torch": TORCH_FUNCTIONS.split()}
    short = next((one for one, full in known.items() if name in told.get(one, ()) or _has(full, name)), None)
    return short and f"`{short}.{name}`, for {dict(n='arrays', t='tensors', m='single numbers')[short[0]]}"


def _has(module: str, name: str) -> bool:
    return callable(getattr(sys.modules.get(module), name, None))


def _find_call(raised: Raised, *groups: str) -> str | None:
    """Return what is called, if the code that failed is a call."""
    node = raised.place[0]
    return ast.unparse(node.func) if isinstance(node, ast.Call) else None


def _find_call_without_self(raised: Raised, *groups: str) -> str | None:
    """Return the name of a part of the class that the code that failed calls without `self.`."""
    name, frame = _find_call(raised), raised.place[2]
    return name if name is not None and hasattr(frame.f_locals.get("self"), name) else None


def _find_method_without_self(raised: Raised, name: str, *groups: str) -> str | None:
    """Return the name of a method that has no argument `self`."""
    method = (_read_methods(raised.answer) or {}).get(name.rpartition(".")[2])
    is_plain = method is not None and not method.decorator_list
    return method.name if is_plain and [arg.arg for arg in method.args.args[:1]] != ["self"] else None


def _find_part_of_self(raised: Raised, name: str) -> str | None:
    """Return a name if the class uses it as a part of `self`."""
    source = find_source(raised.answer)
    nodes = ast.walk(source.definition) if source is not None else ()
    is_part = any(isinstance(node, ast.Attribute) and ast.unparse(node) == f"self.{name}" for node in nodes)
    return name if is_part else None


def _find_argument_of_init(raised: Raised, name: str) -> str | None:
    """Return a name if it is an argument of the `__init__` of the class."""
    method = (_read_methods(raised.answer) or {}).get("__init__")
    return name if method is not None and name in [one.arg for one in method.args.args] else None


def _find_layer_in_forward(raised: Raised, *groups: str) -> str | None:
    """Return the name of a layer of torch.nn, with weights, that the forward of a class makes."""
    layers, method = getattr(sys.modules.get("torch"), "nn", None), (_read_methods(raised.answer) or {}).get("forward")
    calls = (node.func for node in ast.walk(method) if isinstance(node, ast.Call)) if method is not None else ()
    names = (ast.unparse(called) for called in calls)
    return next(
        (name for name in names if hasattr(getattr(layers, name.rpartition(".")[2], None), "reset_parameters")), None
    )


def _find_forward_in_method(raised: Raised, *groups: str) -> str | None:
    """Return the name of the method inside which the forward of a class stands."""
    for name, method in (raised.methods or {}).items():
        if any(isinstance(node, ast.FunctionDef) and node.name == "forward" for node in ast.walk(method)):
            return name
    return None


def _find_misspelled_forward(raised: Raised, *groups: str) -> str | None:
    """Return the name of a method that is close to "forward"."""
    return _find_closest("forward", raised.methods or (), cutoff=0.6)


def _find_no_forward(raised: Raised, *groups: str) -> str | None:
    """Return "" if a class has no forward."""
    return None if raised.methods is None else ""
