"""The class `Along`, a fill with one value for each position of an axis, and the check of masks and units."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


class Along:
    """A fill with one value for each position of an axis, such as a colour.

    Pass it as ``constant_values`` to :func:`pad`, :func:`pad_to`,
    :func:`read`, :func:`fill_borders` or :class:`Plan`. In numpy, a sequence
    as ``constant_values`` holds the values before and after each axis. A
    colour therefore needs this class, which names the axis of the channels.
    If an integer dtype cannot hold a value, the value is an error. A complex
    value for real numbers is an error, too.

    Parameters
    ----------
    axis : int
        The axis, which must not be padded. A negative number counts from the
        last axis.
    values : array_like
        One value for each position of the axis.

    Raises
    ------
    TypeError
        If `axis` is not an integer, or if the values have a mask or a unit.

    Examples
    --------
    >>> import numpy as np
    >>> from pad_kernels import Along, pad
    >>> image = np.zeros((1, 1, 3), np.uint8)
    >>> pad(image, ((0, 0), (1, 0), (0, 0)), constant_values=Along(-1, [255, 128, 7]))
    array([[[255, 128,   7],
            [  0,   0,   0]]], dtype=uint8)
    """

    def __init__(self, axis: int, values: ArrayLike | Sequence[object]) -> None:
        refuse_carried(values, "values")
        for i, value in enumerate(values if isinstance(values, (list, tuple)) else ()):
            refuse_carried(value, f"values[{i}]")
        # Later changes by the caller change neither the fill nor what is shown.
        self.axis, self.values = index(axis), copy(values)
        self.each = [*values] if np.ndim(values) == 1 else None  # type: ignore[misc, arg-type]

    def __repr__(self) -> str:
        return f"Along({self.axis}, {self.values!r})"


def refuse_carried(value: Any, name: str) -> None:
    """Raise an error if an array has a mask or a unit, or contains an array that has one. The mask or unit would be lost."""
    for attribute in ("mask", "unit", "units"):
        # pandas has methods with these names. The unit of a date is part of its dtype, so it is not lost. Subclasses of numpy's
        # array often hold a unit in the array.
        own = vars(value).get(attribute) if isinstance(value, np.ndarray) and type(value) is not np.ndarray else None
        carried = getattr(type(value), attribute, None) if own is None else own
        if carried is not None and not callable(carried) and getattr(getattr(value, "dtype", None), "kind", "") not in "mM":
            raise TypeError(
                f"{name} is a {type(value).__name__}, whose {attribute} would be lost: give its numbers as a numpy array"
            )
    # In a dask array, `_meta` is an example of its chunks.
    if hasattr(value, "__dask_graph__"):
        refuse_carried(getattr(value, "_meta", None), name)
