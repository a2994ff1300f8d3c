"""Read regions that extend outside an array."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pad_kernels import _numpy
from pad_kernels._along import Along, refuse_carried
from pad_kernels._pad_kernels import Plan, InputRegions, modes, shown

if TYPE_CHECKING:
    from pad_kernels._pad_kernels import AxisModes, CopyingMode


class Sliceable(Protocol):
    """An array that can be read in parts, such as an array of numpy, h5py, zarr or dask."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> Any: ...
    def __getitem__(self, key: tuple[slice, ...], /) -> Any: ...


def read(
    array: Sliceable,
    box: Sequence[slice | tuple[int, int]],
    mode: CopyingMode | AxisModes = "constant",
    *,
    constant_values: ArrayLike | Along | None = None,
    out: NDArray[Any] | None = None,
    threads: int | None = None,
) -> NDArray[Any]:
    """Read a region of an array. The region may extend outside the array.

    The function reads only those slices of the array that the region needs.
    The array may be a numpy array, a memory map, a dataset of h5py or zarr,
    a dask array, or any other object with a shape, a dtype and slices.

    Parameters
    ----------
    array : sliceable
        The array to read from. An array with a mask or a unit is an error.
    box : sequence of slice or of (start, stop)
        The region, with one entry for each axis. Position 0 is the first
        element of the array. A negative position lies before the array, and
        does not count from its end. A slice without a start begins at the first
        element, and a slice without a stop ends at the last one.
    mode : str, sequence or dict, optional
        The mode that determines the elements outside the array:
        ``"constant"`` (default), ``"edge"``, ``"reflect"``, ``"symmetric"`` or
        ``"wrap"``. There may be one of these modes for each axis or side, as in
        :func:`pad`.
    constant_values : scalar or Along, optional
        The value outside the array in mode ``"constant"``. The default is 0.
    out : ndarray, optional
        The array to which the region is written. It must have the shape of the
        region and the dtype of the array.
    threads : int, optional
        The number of threads, as in :func:`pad`.

    Returns
    -------
    ndarray
        The region. If you give `out`, this is `out`.

    Raises
    ------
    TypeError
        If the array has no shape, no dtype, or elements without a fixed size.
        If it has a mask or a unit, or its slices have another dtype. If an entry of `box` is not a slice or a pair
        of integers. If `out` is not a numpy array of the dtype. If the mode has
        no constant, and you give `constant_values`.
    IndexError
        If the number of entries of `box` is not the number of axes.
    ValueError
        If the mode is not one of these. If a slice has a step, or the region
        stops before it starts. If `constant_values` has several values, or `out`
        or a slice of the array has another shape.

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
    if not hasattr(array, "shape") or not hasattr(array, "dtype"):
        raise TypeError(f"read takes arrays with a shape, a dtype and slices, not a {type(array).__name__}: try np.asarray")
    refuse_carried(array, "the array")
    shape, dtype = tuple(array.shape), _numpy.known_dtype(array.dtype, f"array is a {type(array).__name__} whose dtype")
    mode = modes(mode, len(shape))
    if not isinstance(mode, tuple) and mode not in _numpy.COPYING:
        raise ValueError(f"mode {mode!r} is none of {', '.join(_numpy.COPYING)}, which read has")
    ends = _ends(box, shape)
    # On a side where the region extends outside the array, the width is positive. Where it ends inside the array, it is negative.
    widths = [(-start, stop - length) for (start, stop), length in zip(ends, shape, strict=True)]
    values: dict[str, Any] = {} if constant_values is None else {"constant_values": constant_values}
    if constant_values is not None and not isinstance(constant_values, Along) and np.size(constant_values) != 1:
        raise ValueError(f"constant_values is {shown(constant_values)}: read takes one value for all sides")
    plan = Plan(shape, dtype, widths, mode, frame="uncropped", **values)
    if out is None:
        out = np.empty(plan.output_shape, dtype)
    elif type(out) is not np.ndarray:
        raise _numpy.not_an_array("out", out)
    elif out.shape != plan.output_shape:
        raise ValueError(f"out has shape {list(out.shape)}, and the box {list(plan.output_shape)}")
    whole = [(0, length) for length in plan.output_shape]
    plan.window_from_regions(whole)(_taken(array, dtype, plan.input_regions(whole)), out=out, threads=threads)
    return out


def _taken(array: Sliceable, dtype: np.dtype[Any], parts: InputRegions) -> NDArray[Any]:
    """Read the parts of an array, and return them side by side. A single part is not copied."""

    def numbers(source: tuple[slice, ...]) -> NDArray[Any]:
        found: NDArray[Any] = _numpy.plain_array(array[source], "the array")
        # An assignment would round other numbers, and repeat a slice that is too short.
        if found.dtype != dtype:
            raise TypeError(f"a slice of the array has dtype {found.dtype}, and the array says {dtype}")
        if found.shape != (wanted := tuple(side.stop - side.start for side in source)):
            raise ValueError(f"a slice of the array has shape {list(found.shape)}, and the region that was read {list(wanted)}")
        return found

    if all(len(of_axis) == 1 for of_axis in parts.axes):
        return numbers(tuple(side for (side,) in parts.axes))
    # If no element is needed, the array is not read.
    found = np.empty(parts.shape, dtype)
    for source, place in parts.boxes():
        found[place] = numbers(source)
    return found


def _ends(box: Any, shape: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the start and the stop of the box along each axis."""
    if not isinstance(box, Sequence):
        raise TypeError(f"box is a sequence with a slice or (start, stop) for each axis, not {shown(box)}")
    if len(box) != len(shape):
        raise IndexError(f"a box of {len(box)} axes in an array of {len(shape)}")
    ends = []
    for axis, (side, length) in enumerate(zip(box, shape, strict=True)):
        if isinstance(side, slice):
            if side.step is not None and not (isinstance(side.step, int) and side.step == 1):
                raise ValueError(f"axis {axis}: the slices of a box have no steps, and {shown(side)} has one")
            given = (0 if side.start is None else side.start, length if side.stop is None else side.stop)
        else:
            given = side
        try:
            start, stop = map(index, given if isinstance(given, (tuple, list, np.ndarray)) else ())
        except (TypeError, ValueError):
            raise TypeError(f"axis {axis}: the box has {shown(side)}: give a slice or (start, stop), in integers") from None
        if max(-start, stop) >= 2**62:
            raise ValueError(f"axis {axis}: the box reaches from {shown(start)} to {shown(stop)}, which is beyond 62 bits")
        if start > stop:
            raise ValueError(f"axis {axis}: the box starts at {shown(start)} and stops before that, at {stop}")
        ends.append((start, stop))
    return ends
