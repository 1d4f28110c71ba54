"""TODO, the blank that a learner fills in. It accepts every operation, so that a half-filled function still runs."""

_use_count = 0


def count_uses() -> int:
    """Return how often the blank was used in an operation: a half-filled function uses it.

    >>> before = count_uses()
    >>> 2 * TODO + 1
    TODO
    >>> count_uses() - before
    2
    """
    return _use_count


def _count_use() -> None:
    global _use_count
    _use_count += 1


class Todo:
    """A blank: every operation on it returns the blank again."""

    def __repr__(self):
        return "TODO"

    def __format__(self, spec):
        return "TODO"

    def _return_todo(self, *args, **kwargs):
        _count_use()
        return self

    def __getattr__(self, name):
        if name.startswith("__") or name.startswith("_repr_") or name.startswith("_ipython_"):
            raise AttributeError(name)
        _count_use()
        return self

    def __setattr__(self, name, value):
        _count_use()

    def __delattr__(self, name):
        _count_use()

    def __setitem__(self, key, value):
        _count_use()

    def __delitem__(self, key):
        _count_use()

    def __iter__(self):
        _count_use()
        return iter(())

    def __len__(self):
        _count_use()
        return 0

    def __contains__(self, item):
        _count_use()
        return False

    def __bool__(self):
        _count_use()
        return False

    def __float__(self):
        _count_use()
        return float("nan")

    def __int__(self):
        _count_use()
        return 0

    __index__ = __int__

    def __hash__(self):
        return id(self)

    def __exit__(self, *error):
        return None

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        _count_use()
        return TODO

    def __reduce__(self):
        return "TODO"


_OPERATIONS = """call getitem enter copy deepcopy array_ufunc array_function
    neg pos abs invert round trunc floor ceil eq ne lt le gt ge
    add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift
    radd rsub rmul rtruediv rfloordiv rmod rdivmod rpow rmatmul rand ror rxor rlshift rrshift
    iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift"""
for _name in _OPERATIONS.split():
    setattr(Todo, f"__{_name}__", Todo._return_todo)

TODO = Todo()


def holds_todo(value: object) -> bool:
    """Return whether value is the blank, or a tuple, list or dict that still contains one.

    >>> holds_todo((1, TODO)), holds_todo([1, 2])
    (True, False)
    """
    if isinstance(value, Todo):
        return True
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (tuple, list)):
        return any(isinstance(item, Todo) for item in value)
    return False
