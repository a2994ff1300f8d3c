"""A fill for each position of an axis, such as a colour."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pad_kernels import _numpy
from pad_kernels._pad_kernels import Plan, modes, pad


class Along:
    """A fill value for each position of an axis, such as the channels of a colour.

    Pass it as ``constant_values`` to :func:`pad` or :func:`pad_to`. If
    ``constant_values`` were a plain sequence, numpy would read it as values
    before and after the array.

    Parameters
    ----------
    axis : int
        The axis, which must not be padded. A negative number counts from the
        last axis.
    values : array_like
        One value for each position of the axis.

    Examples
    --------
    >>> import numpy as np
    >>> from pad_kernels import Along, pad
    >>> image = np.zeros((1, 1, 3), np.uint8)
    >>> pad(image, ((0, 0), (1, 0), (0, 0)), constant_values=Along(-1, [255, 128, 7]))
    array([[[255, 128,   7],
            [  0,   0,   0]]], dtype=uint8)
    """

    def __init__(self, axis: int, values: ArrayLike) -> None:
        self.axis, self.values = index(axis), values

    def __repr__(self) -> str:
        return f"Along({self.axis}, {self.values!r})"

    def elements(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[int, NDArray[Any]]:
        """The axis of an array of this shape, and an element for each of its positions."""
        rank = len(shape)
        if not -rank <= self.axis < rank:
            raise ValueError(f"constant_values names axis {self.axis}, and the array has {rank} axes")
        axis = self.axis % rank
        values = list(self.values) if np.ndim(self.values) == 1 else None  # type: ignore[arg-type]
        if values is None or len(values) != shape[axis]:
            raise ValueError(f"constant_values is {self!r}, and axis {axis} has length {shape[axis]}: give one value for each position")
        numbers = np.asarray(self.values)
        found = np.empty(len(values), dtype)
        if numbers.dtype.kind in "biuf" and dtype.kind in "iuf":
            with np.errstate(all="ignore"):
                found[:] = numbers
            if (found == numbers).all():
                return axis, found
        for i, value in enumerate(values):
            element = _numpy.fills(value, dtype, 1)
            if element is None or len(element) != dtype.itemsize:
                raise ValueError(f"constant_values is {self!r}: {value!r} is no element of dtype {dtype}")
            found[i : i + 1] = np.frombuffer(element, dtype)
        return axis, found


def pad_along(array: Any, pad_width: Any, mode: Any, out: Any, along: Along, interior: Any, **options: Any) -> Any:
    """`pad` with a fill for each position of an axis."""
    array = _numpy.plain_array(array, "the array")
    rank, dtype = array.ndim, array.dtype
    if dtype.hasobject or not dtype.itemsize:
        raise TypeError(f"constant_values is {along!r}: elements of dtype {dtype} are not of a fixed size")
    axis, elements = along.elements(array.shape, dtype)
    # Which checks all other arguments, too.
    plan = Plan(array.shape, dtype, pad_width, mode, interior=interior, frame=options.get("frame"), constant_values=elements[0])
    if plan.pad_width[axis] != (0, 0) or (plan.interior[axis] and array.shape[axis] > 1):
        raise ValueError(f"constant_values has a value for each position of axis {axis}: the axis is not padded, and has no interior")
    if out is None:
        out = np.empty(plan.output_shape, dtype)
    elif type(out) is not np.ndarray or out.dtype != dtype or out.shape != plan.output_shape:
        raise ValueError(f"out is {out!r}: give an array of dtype {dtype} and shape {plan.output_shape}")
    if np.may_share_memory(array, out):
        array = array.copy()
    if rank == 1:
        out[...] = array
        return out
    mode = modes(mode, rank)
    options |= {
        "mode": mode[:axis] + mode[axis + 1 :] if isinstance(mode, tuple) else mode,
        "interior": plan.interior[:axis] + plan.interior[axis + 1 :] if interior is not None else None,
        "pad_width": plan.pad_width[:axis] + plan.pad_width[axis + 1 :],
    }
    if axis == rank - 1 and array.flags.c_contiguous and out.flags.c_contiguous:
        # A pixel moves as a whole.
        pixel = np.dtype((np.void, dtype.itemsize * len(elements)))
        pad(array.view(pixel)[..., 0], out=out.view(pixel)[..., 0], constant_values=elements.view(pixel)[0], **options)
        return out
    for i, element in enumerate(elements):
        at = (slice(None),) * axis + (i,)
        pad(array[at], out=out[at], constant_values=element, **options)
    return out
