"""The class `Along`, a fill with one value for each position of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index

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
        If `axis` is not an integer.

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
        self.axis, self.values = index(axis), values
        self.each = [*values] if np.ndim(values) == 1 else None  # type: ignore[misc, arg-type]

    def __repr__(self) -> str:
        return f"Along({self.axis}, {self.values!r})"
