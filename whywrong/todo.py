"""TODO: the blank that a learner fills in. It absorbs every operation, so that a half-filled function still runs."""

_uses = 0


def uses() -> int:
    """Return how often the blank was used in an operation, so that a half-filled function is known as one."""
    return _uses


def _used():
    global _uses
    _uses += 1


class Todo:
    """A blank: whatever is done with it gives the blank again."""

    def __repr__(self):
        return "TODO"

    def __format__(self, spec):
        return "TODO"

    def _same(self, *args, **kwargs):
        _used()
        return self

    def __getattr__(self, name):
        if name.startswith("__") or name.startswith("_repr_") or name.startswith("_ipython_"):
            raise AttributeError(name)
        _used()
        return self

    def __setattr__(self, name, value):
        _used()

    def __delattr__(self, name):
        _used()

    def __setitem__(self, key, value):
        _used()

    def __delitem__(self, key):
        _used()

    def __iter__(self):
        _used()
        return iter(())

    def __len__(self):
        _used()
        return 0

    def __contains__(self, item):
        _used()
        return False

    def __bool__(self):
        _used()
        return False

    def __float__(self):
        _used()
        return float("nan")

    def __int__(self):
        _used()
        return 0

    __index__ = __int__

    def __hash__(self):
        return id(self)

    def __exit__(self, *error):
        return None

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        _used()
        return TODO

    def __reduce__(self):
        return "TODO"


_ABSORBED = """call getitem enter copy deepcopy array_ufunc array_function
    neg pos abs invert round trunc floor ceil eq ne lt le gt ge
    add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift
    radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor rlshift rrshift
    iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift"""
for _name in _ABSORBED.split():
    setattr(Todo, f"__{_name}__", Todo._same)

TODO = Todo()


def holds_todo(value) -> bool:
    """Tell whether value is the blank, or a tuple, list or dict that still holds one."""
    if isinstance(value, Todo):
        return True
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return any(isinstance(item, Todo) for item in value)
    return False
