"""Groups: a name, and members with instance numbers from 0."""
import ctypes

from pvm._library import check, group_library, text_bytes
from pvm.message import TYPE_NUMBERS, memory_of, type_of, view_of

_OPERATIONS = {"max": "PvmMax", "min": "PvmMin", "sum": "PvmSum", "product": "PvmProduct"}


class Group:
    """A group that this task has joined: `with Group("name") as group:`. `instance` is the own number."""

    def __init__(self, name: str):
        self.name = name
        self._text = text_bytes(name)
        self.instance = check(group_library.pvm_joingroup(self._text), f"joining {name}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.leave()

    def __len__(self):
        return check(group_library.pvm_gsize(self._text), f"asking for {self.name}")

    def leave(self) -> None:
        """Be a member no longer."""
        check(group_library.pvm_lvgroup(self._text), f"leaving {self.name}")

    def tid(self, instance: int) -> int:
        """The tid of a member."""
        return check(group_library.pvm_gettid(self._text, instance), f"asking for member {instance} of {self.name}")

    def barrier(self, count: int = -1) -> None:
        """Wait until `count` members wait, -1: all."""
        check(group_library.pvm_barrier(self._text, count), f"waiting in {self.name}")

    def freeze(self, size: int) -> int:
        """Wait until there are `size` members; nobody joins from then on, and fewer questions are asked."""
        return check(group_library.pvm_freezegroup(self._text, size), f"freezing {self.name}")

    def gather(self, array, result, tag: int, root: int = 0) -> None:
        """Collect the arrays of all members in `result` of the root, by instance; others pass None."""
        self._exchange("gather", array, result, array, tag, root)

    def scatter(self, array, result, tag: int, root: int = 0) -> None:
        """Give each member its part of the root's `array` in `result`; others pass None for `array`."""
        self._exchange("scatter", array, result, result, tag, root)

    def _exchange(self, name, array, result, measure, tag, root):
        kind, count = _items(measure)
        from_address, kept = (None, None) if array is None else memory_of(view_of(array), writable=False)
        to_address, kept_too = (None, None) if result is None else memory_of(view_of(result), writable=True)
        members = len(self)
        whole = result if name == "gather" else array
        if self.instance == root and (whole is None or _items(whole) != (kind, count * members)):
            raise ValueError(f"the root needs an array of {count * members} items of type {kind}")
        check(getattr(group_library, f"pvm_{name}")(to_address, from_address, count, TYPE_NUMBERS[kind], tag, self._text,
                                                    root), f"{name} in {self.name}")
        del kept, kept_too

    def reduce(self, operation: str, array, tag: int, root: int = 0) -> None:
        """Combine the arrays of all members in the root's: "max", "min", "sum" or "product"."""
        kind, count = _items(array)
        function = ctypes.cast(getattr(group_library, _OPERATIONS[operation]), ctypes.c_void_p)
        address, kept = memory_of(view_of(array), writable=True)
        check(group_library.pvm_reduce(function, address, count, TYPE_NUMBERS[kind], tag, self._text, root),
              f"reducing in {self.name}")
        del kept


def _items(array):
    """(Type of items, how many) of an array."""
    view = view_of(array)
    kind = type_of(view)
    items = view.nbytes // view.itemsize
    return kind, items
