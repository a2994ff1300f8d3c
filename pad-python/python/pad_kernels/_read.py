"""Boxes that reach beyond an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pad_kernels._pad_kernels import Plan, SourceParts


class Sliceable(Protocol):
    """What can be read in parts: arrays of numpy, h5py, zarr, dask and others."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: tuple[slice, ...], /) -> Any: ...


def read(
    array: Sliceable,
    box: Sequence[slice | tuple[int, int]],
    mode: Literal["constant", "edge", "reflect", "symmetric", "wrap"] = "constant",
    *,
    constant_values: ArrayLike = 0,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Read a box of an array, which may reach beyond it.

    Of the array only the parts are read that the box needs, by slices. It
    may be an array of numpy, a memory map, a dataset of h5py or zarr, an
    array of dask, or anything else with a shape, a dtype and slices.

    Parameters
    ----------
    array : sliceable
        What to read from.
    box : sequence of slice or of (start, stop)
        One an axis, counted from the array's first element: what is below
        zero lies before the array, as nothing counts from its end. A slice
        may leave out an end, which is the array's then.
    mode : str, optional
        What is read beyond the array: ``"constant"`` (default),
        ``"edge"``, ``"reflect"``, ``"symmetric"`` or ``"wrap"``.
    constant_values : scalar, optional
        For ``"constant"``: what is there; 0 by default.
    out : ndarray, optional
        Where the box is written, of its shape and the array's dtype.

    Returns
    -------
    ndarray
        The box, or `out`.

    Examples
    --------
    >>> import numpy as np
    >>> from pad_kernels import read
    >>> a = np.arange(5)
    >>> read(a, [(-2, 3)], "reflect")
    array([2, 1, 0, 1, 2])
    >>> read(a, [slice(3, 7)])
    array([3, 4, 0, 0])
    >>> read(a, [(-1, 1)], "wrap")
    array([4, 0])
    """
    shape, dtype = tuple(array.shape), np.dtype(array.dtype)
    ends = [_ends(side, length) for side, length in zip(box, shape, strict=False)]
    if len(box) != len(shape):
        raise IndexError(f"a box of {len(box)} axes in an array of {len(shape)}")
    # Beyond the array is a border, and short of its ends is one below zero.
    widths = [(-start, stop - length) for (start, stop), length in zip(ends, shape, strict=True)]
    values: dict[str, Any] = {"constant_values": constant_values} if mode == "constant" else {}
    plan = Plan(shape, dtype, widths, mode, frame="uncropped", **values)
    if out is None:
        out = np.empty(plan.output_shape, dtype)
    elif out.shape != plan.output_shape:
        raise ValueError(f"out has shape {list(out.shape)}, and the box {list(plan.output_shape)}")
    whole = [(0, length) for length in plan.output_shape]
    plan.window_of_parts(whole)(_taken(array, plan.source_parts(whole)), out=out)
    return out


def _taken(array: Sliceable, parts: SourceParts) -> NDArray[Any]:
    """Parts of an array side by side; of one part there is no copy."""
    boxes = parts.boxes()
    if len(boxes) == 1:
        return np.asarray(array[boxes[0][0]])
    # What is made of nothing is not read.
    found = np.empty(parts.shape, array.dtype)
    for source, place in boxes:
        found[place] = array[source]
    return found


def _ends(side: slice | tuple[int, int], length: int) -> tuple[int, int]:
    if isinstance(side, slice):
        if side.step not in (None, 1):
            raise ValueError("the slices of a box have no steps")
        start = 0 if side.start is None else side.start
        stop = length if side.stop is None else side.stop
    else:
        start, stop = side
    if start > stop:
        raise ValueError(f"a box ends at {stop} and begins behind that, at {start}")
    return start, stop
