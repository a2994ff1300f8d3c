"""Replace the function `pad` of numpy or dask in the whole process, and restore it.

A patch replaces the code inside the function. The function object stays the same, so modules that imported
it earlier use the new code, and tables that have it as a key still find it.
"""

from __future__ import annotations

import os
from threading import RLock
from types import CodeType, FunctionType
from typing import Any, NoReturn

import numpy as np

from pad_kernels import _numpy
from pad_kernels._pad_kernels import pad

# The globals of the patched function hold the replacement under this name, so that the new code finds it.
_NAME = "_pad_kernels_replacement"
# A thread holds this lock while it begins or ends a patch. A fork waits for the lock, so that no child inherits half a patch.
_LOCK = RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_LOCK.acquire, after_in_parent=_LOCK.release, after_in_child=_LOCK.release)


class _State:
    """The original code of a patched function, and its active patches with the number of their open ``with`` blocks.

    From the first patch on, the function's globals hold this object. Another import of this module finds it there.
    """

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.open: dict[object, int] = {}


def _state(function: FunctionType) -> _State:
    state: _State = function.__globals__.setdefault(_numpy.PATCH, _State(function.__code__))
    return state


class Patch:
    """An active patch of a function. The end of its outermost ``with`` block undoes it.

    If several patches of one function are active, the last one to end restores the function.
    """

    def __init__(self, function: FunctionType, replacement: Any) -> None:
        self._function, self._replacement = function, replacement
        self._begin(0)

    def __enter__(self) -> Patch:
        self._begin(1)
        return self

    def _begin(self, blocks: int) -> None:
        with _LOCK:
            patches = _state(self._function).open
            patches[self] = patches.get(self, 0) + blocks
            self._function.__globals__[_NAME] = self._replacement
            self._function.__code__ = _forward.__code__

    def __exit__(self, *exception: object) -> None:
        with _LOCK:
            patches = _state(self._function).open
            if patches.get(self, 0) > 1:
                patches[self] -= 1
            elif patches.keys() == {self}:
                restore(self._function)
            else:
                patches.pop(self, None)

    def __reduce__(self) -> NoReturn:
        raise TypeError("a patch belongs to one process, and is not pickled or copied: call patch_numpy() or patch_dask() again")


def restore(function: FunctionType) -> None:
    """Undo all patches of a function."""
    with _LOCK:
        state = _state(function)
        state.open.clear()
        # The replacement stays in the module, because a call in another thread may be about to look it up.
        function.__code__ = state.code


def _forward(array, pad_width, mode="constant", **kwargs):  # type: ignore[no-untyped-def]
    return _pad_kernels_replacement(array, pad_width, mode, **kwargs)  # type: ignore[name-defined] # noqa: F821


def _numpy_pad(array: Any, pad_width: Any, mode: Any, **kwargs: Any) -> Any:
    # If the type of the array has its own padding, the dispatcher has called it instead of this function. numpy converts all
    # other values to arrays, and passes all keywords to a function as mode.
    if callable(mode):
        return _numpy.pad(np.asarray(array), pad_width, mode, None, None, None, **kwargs)
    return pad(np.asarray(array), pad_width, mode, **kwargs)


def patch_numpy() -> Patch:
    """Replace `numpy.pad` by :func:`pad_kernels.pad` in the whole process.

    The function object stays the same. A module that imported it earlier runs
    the new code, too. Types with their own ``numpy.pad``, such as quantities
    of astropy, still use their own. Forked child processes inherit the patch.

    Returns
    -------
    context manager
        The end of its ``with`` block undoes the patch. Without a block, call
        :func:`unpatch_numpy`.

    Examples
    --------
    >>> import numpy as np
    >>> import pad_kernels
    >>> with pad_kernels.patch_numpy():
    ...     np.pad([1, 2, 3], (-1, 1))
    array([2, 3, 0])
    >>> np.pad([1, 2, 3], (-1, 1))
    Traceback (most recent call last):
    ...
    ValueError: index can't contain negative values
    """
    return Patch(_numpy.public_implementation, _numpy_pad)


def unpatch_numpy() -> None:
    """Undo :func:`patch_numpy`. If there is no patch, do nothing.

    Examples
    --------
    >>> import pad_kernels
    >>> patch = pad_kernels.patch_numpy()
    >>> pad_kernels.unpatch_numpy()
    """
    restore(_numpy.public_implementation)


def patch_dask() -> Patch:
    """Replace `dask.array.pad` by :func:`pad_kernels.dask.pad` in the whole process.

    `xarray.DataArray.pad` and `xarray.Dataset.pad` then run the new code, too,
    and so does `numpy.pad` for a dask array. The original code of dask still
    runs if the new code raises a TypeError or a NotImplementedError. Examples
    are functions as modes, medians across chunks, and chunks that are not numpy
    arrays. The caller gets all other errors.

    Returns
    -------
    context manager
        The end of its ``with`` block undoes the patch. Without a block, call
        :func:`unpatch_dask`.

    Raises
    ------
    ImportError
        If dask is not installed.
    """
    from dask.array.creation import pad as of_dask

    import pad_kernels.dask

    original = FunctionType(_state(of_dask).code, of_dask.__globals__, of_dask.__name__, of_dask.__defaults__)

    def dask_pad(array: Any, pad_width: Any, mode: Any, **kwargs: Any) -> Any:
        try:
            return pad_kernels.dask.pad(array, pad_width, mode, **kwargs)
        except (NotImplementedError, TypeError):
            return original(array, pad_width, mode, **kwargs)

    return Patch(of_dask, dask_pad)


def unpatch_dask() -> None:
    """Undo :func:`patch_dask`. If there is no patch, do nothing.

    Raises
    ------
    ImportError
        If dask is not installed.
    """
    from dask.array.creation import pad as of_dask

    restore(of_dask)
