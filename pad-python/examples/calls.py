"""Shows every kind of call with the type of its result. `mypy` checks this file, and the tests run it."""

from __future__ import annotations

import pickle
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

from pad_kernels import Plan, InputRegions, pad, read

floats = np.arange(6, dtype=np.float32).reshape(2, 3)

# The result has the array's element type.
assert_type(pad(floats, 1), NDArray[np.float32])
assert_type(pad(floats, (1, 2), "edge"), NDArray[np.float32])
assert_type(pad(floats, ((1, 2), (0, 0)), "reflect", reflect_type="odd"), NDArray[np.float32])
assert_type(pad(floats, {0: 1, -1: (2, 3)}, "symmetric"), NDArray[np.float32])
assert_type(pad(floats, np.array([1, 2]), mode="wrap"), NDArray[np.float32])
assert_type(pad(floats, 1, "constant", constant_values=-1), NDArray[np.float32])
assert_type(pad(floats, 1, "constant", constant_values=((1, 2), (3, 4))), NDArray[np.float32])
assert_type(pad(floats, 2, "linear_ramp", end_values=(0, 1)), NDArray[np.float32])
assert_type(pad(floats, 2, "mean", stat_length=2), NDArray[np.float32])
assert_type(pad(floats, 1, "empty"), NDArray[np.float32])
# The element type of a list is not known.
assert_type(pad([[1, 2], [3, 4]], 1), NDArray[Any])


def with_value(vector: NDArray[Any], width: tuple[int, int], axis: int, kwargs: dict[str, Any]) -> None:
    vector[: width[0]] = kwargs["value"]


assert pad(floats, (1, 0), with_value, value=7)[0, 0] == 7

# numpy does not have the following arguments.
assert_type(pad(floats, (-1, 2), "reflect", frame="cropped"), NDArray[np.float32])
assert_type(pad(floats, 0, interior=(0, 1), constant_values=9), NDArray[np.float32])
out = np.empty((4, 5), np.float32)
assert pad(floats, 1, "wrap", out=out, threads=2) is out

plan = Plan(floats.shape, floats.dtype, 1, "edge")
assert_type(plan(floats), NDArray[Any])
assert_type(plan.output_shape, tuple[int, ...])
assert_type(plan.kernel, str | None)
assert pickle.loads(pickle.dumps(plan)) == plan
box = (slice(0, 2), slice(None))
parts = plan.input_regions(box)
assert_type(parts, InputRegions)
for source, place in parts.boxes():
    assert np.array_equal(plan.window_from_regions(box)(floats[source]), plan(floats)[:2])

assert_type(read(floats, [(-1, 1), slice(0, 5)], "symmetric"), NDArray[Any])
