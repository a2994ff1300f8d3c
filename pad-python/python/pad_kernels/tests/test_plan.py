"""Tests of plans: comparison, hashes, pickles, threads, and regions."""

from __future__ import annotations

import itertools
import copy
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pad_kernels
from pad_kernels import Along, Plan

MODES: list[Any] = ["constant", "edge", "reflect", "symmetric", "wrap"]


COMPUTED: list[tuple[str, Any, dict[str, Any]]] = [
    ("f4", "linear_ramp", {}),
    ("f4", "linear_ramp", {"end_values": ((1, 2), (3, -4))}),
    ("f4", "linear_ramp", {"end_values": 1.5}),
    ("i4", "linear_ramp", {}),
    ("f4", "maximum", {}),
    ("?", "minimum", {}),
    ("c8", "mean", {}),
    ("f4", "median", {"stat_length": ((2, 1), (3, 2))}),
    ("f4", "median", {"stat_length": 2}),
    ("f4", "reflect", {"reflect_type": "odd"}),
    ("u1", "symmetric", {"reflect_type": "odd"}),
    ("i8", "constant", {"constant_values": ((1, 2), (3, 4))}),
    ("M8[s]", "constant", {"constant_values": ((np.datetime64(1, "s"), np.datetime64(2, "s")),)}),
]


def plans() -> list[Plan]:
    made = [Plan((3, 4), "f4", ((1, 2), (0, 3)), mode) for mode in [*MODES, "empty"]]
    made.append(Plan(5, [("a", "u1"), ("b", "f8")], 2))
    made.append(Plan((3, 4), "i8", 2, constant_values=-7))
    made.append(Plan((3, 4), "i8", (-1, 2), "reflect", interior=(1, 0), frame="cropped", constant_values=3))
    made.append(made[0].window([(0, 3), slice(2, 5)]))
    made.append(made[4].window_from_regions([slice(None), (1, 3)]))
    made += [Plan((3, 4), dtype, ((1, 2), (0, 3)), mode, **given) for dtype, mode, given in COMPUTED]
    return made


def test_a_plan_tells_what_it_is() -> None:
    plan = Plan((3, 4), np.float32, {1: (2, -1)}, "edge", interior=[0, 1])
    assert plan.shape == (3, 4) and plan.output_shape == (3, 8) and plan.dtype == np.float32
    assert plan.mode == "edge" and plan.pad_width == ((0, 0), (2, -1)) and plan.interior == (0, 1)
    assert plan.kernel is not None and "edge" in plan.kernel
    assert Plan(3, int, 0).kernel is None
    assert repr(plan) == "Plan((3, 4), 'float32', ((0, 0), (2, -1)), 'edge', interior=(0, 1))"


@pytest.mark.parametrize("mode", MODES)
def test_a_plan_pads(mode: Any) -> None:
    array = np.random.default_rng(0).random((4, 5))
    plan = Plan(array.shape, array.dtype, 3, mode)
    out = np.empty(plan.output_shape)
    for given in (array, np.asfortranarray(array), np.repeat(array, 2, 0)[::2], array.tolist()):
        np.testing.assert_array_equal(plan(given), np.pad(array, 3, mode))
        assert plan(given, out) is out
        np.testing.assert_array_equal(out, np.pad(array, 3, mode))
    assert plan(np.asfortranarray(array)).flags.f_contiguous
    np.testing.assert_array_equal(plan(array, threads=2), np.pad(array, 3, mode))


@pytest.mark.parametrize(("dtype", "mode", "given"), COMPUTED)
def test_a_plan_computes(dtype: str, mode: Any, given: dict[str, Any]) -> None:
    array = np.random.default_rng(0).integers(0, 200, (3, 4)).astype("i4").astype(dtype)
    widths = ((1, 2), (0, 3))
    plan = Plan(array.shape, dtype, widths, mode, **given)
    expected = np.pad(array, widths, mode, **given)
    assert plan.mode == mode and plan.output_shape == expected.shape and plan.pad_width == widths
    out = np.empty(plan.output_shape, dtype)
    for array in (array, np.asfortranarray(array), np.repeat(array, 2, 0)[::2]):
        np.testing.assert_array_equal(plan(array), expected)
        assert plan(array, out, threads=2) is out
        np.testing.assert_array_equal(out, expected)
    again = pickle.loads(pickle.dumps(plan))
    np.testing.assert_array_equal(again(array), expected)
    # The following methods need borders that are copied.
    name = "a constant for each side" if mode == "constant" else f"mode '{mode}'"
    for call in (
        lambda: plan.window([(0, 1), (0, 1)]),
        lambda: plan.window_from_regions([(0, 1), (0, 1)]),
        lambda: plan.input_regions([(0, 1), (0, 1)]),
    ):
        with pytest.raises(ValueError, match=f"{name} has no (windows|source parts)"):
            call()
    gradient = np.arange(expected.size).reshape(expected.shape)
    if mode != "constant":
        with pytest.raises(ValueError, match=f"{name} has no adjoint in pad_kernels for Python: the modes constant, edge"):
            plan.adjoint(gradient)
    elif dtype == "i8":
        np.testing.assert_array_equal(plan.adjoint(gradient), gradient[1:4, :4])


def test_what_plans_say_of_themselves() -> None:
    assert repr(Plan(3, "f4", 1, "linear_ramp", end_values=(2, 3))) == (
        "Plan((3,), 'float32', ((1, 1),), 'linear_ramp', end_values=((2.0, 3.0),))"
    )
    assert repr(Plan(3, "f4", 1, "mean", stat_length=2)) == (
        "Plan((3,), 'float32', ((1, 1),), 'mean', stat_length=((2, 2),))"
    )
    assert repr(Plan(3, "f4", 1, "reflect", reflect_type="odd")) == (
        "Plan((3,), 'float32', ((1, 1),), 'reflect', reflect_type='odd')"
    )
    assert repr(Plan(3, "i2", 1, constant_values=(4, 5))) == (
        "Plan((3,), 'int16', ((1, 1),), 'constant', constant_values=[[4, 5]])"
    )
    assert repr(Plan(3, "f4", 1, constant_values=7)) == "Plan((3,), 'float32', ((1, 1),), 'constant', constant_values=7.0)"
    assert repr(Plan((1, 2), "u1", {0: 1}, constant_values=Along(-1, [0, 9]))) == (
        "Plan((1, 2), 'uint8', ((1, 1), (0, 0)), 'constant', constant_values=Along(1, [0, 9]))"
    )


@pytest.mark.parametrize(
    ("arguments", "given", "error", "says"),
    [
        (((3,), "M8[s]", 1, "mean"), {}, TypeError, "mode 'mean' computes with .*, not with datetime64"),
        (((3,), "S3", 1, "maximum"), {}, TypeError, "mode 'maximum' computes with"),
        (((3,), "?", 1, "reflect"), {"reflect_type": "odd"}, TypeError, "odd mode 'reflect' computes with"),
        (((3,), ">f4", 1, "mean"), {}, TypeError, "mode 'mean' computes with"),
        (((3,), "f4", 1, "mean"), {"interior": 1}, ValueError, "mode 'mean' computes its borders, and takes no interior"),
        (((3,), "f4", 1, "median"), {"frame": "cropped"}, ValueError, "mode 'median' computes its borders, and takes no frame"),
        (((3,), "f4", 1, "symmetric"), {"reflect_type": "odd", "interior": 1}, ValueError, "odd mode 'symmetric' computes"),
        (((3,), "f4", -1, "mean"), {}, ValueError, "pad_width is -1, and mode 'mean' computes its borders"),
        (((3,), "f4", 1, "mean"), {"stat_length": 0}, ValueError, "stat_length is 0: give a positive integer"),
        (((3,), "f4", 1, "mean"), {"end_values": 0}, TypeError, "mode 'mean' has no argument 'end_values'"),
        (((0,), "f4", 1, "mean"), {}, ValueError, "axis 0"),
        (((3,), "f4", 1, "reflect"), {"reflect_type": 3}, ValueError, "reflect_type is 3: give 'even' or 'odd'"),
        (((3,), "f4", 1), {"constant_values": [1, 2, 3]}, ValueError, r"constant_values is \[1, 2, 3\]: give one value that dtype float32"),
        (((3,), "u1", 1, "linear_ramp"), {"end_values": 300}, ValueError, "end_values is 300: give one value that dtype uint8 holds"),
    ],
)
def test_what_is_not_computed(arguments: Any, given: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        Plan(*arguments, **given)


def test_other_arrays_are_refused() -> None:
    plan = Plan((2, 3), "f8", 1)
    with pytest.raises(ValueError, match=r"the array has shape \[3, 2\], and the plan \[2, 3\]"):
        plan(np.ones((3, 2)))
    with pytest.raises(TypeError, match="the array has dtype float32, and the plan float64"):
        plan(np.ones((2, 3), "f4"))
    with pytest.raises(ValueError, match=r"out has shape \[4, 4\]"):
        plan(np.ones((2, 3)), np.ones((4, 4)))


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        (((3,), "O", 1), TypeError, "Plan: dtype object has no elements of a fixed size; only pad"),
        (((3,), "V0", 1), TypeError, "has no elements of a fixed size"),
        (((3,), "f8", 1, np.pad), TypeError, "Plan: mode is the function .*, which only pad"),
        (((3,), "f8", 1, "circular"), ValueError, "mode 'circular' is none of constant, edge"),
        (((3,), "f8", 1, 3), TypeError, "Plan: mode is a string, not 3"),
        (((3,), "f8", 1.5), ValueError, "pad_width is 1.5, and the array has 1 axes: give an integer"),
        (((3,), "f8", ((1, 2), (3, 4))), ValueError, r"pad_width is \(\(1, 2\), \(3, 4\)\), and the array has 1 axes"),
        (((), "f8", 1), ValueError, "Plan: the array has no axes"),
        (((3,), "f8", (-2, -2)), ValueError, "axis 0: length 3 with low -2"),
        (((0,), "f8", 1, "edge"), ValueError, "axis 0"),
        (((-1,), "f8", 1), ValueError, "shape: axis 0 has length -1: lengths are 0 or more"),
        (((2, 1.5), "f8", 1), TypeError, "shape: axis 1 has length 1.5: give an integer from 0 on"),
        ((2**70, "f8", 1), ValueError, "shape: axis 0 has length 1180591620717411303424: give a number below 2"),
        ((10**5000, "f8", 1), ValueError, "shape: axis 0 has length <unprintable value of <class 'int'>>: give a number"),
        (((3,), "3f8", 1), TypeError, "dtype is .* whose elements are arrays: give float64"),
        ((3, "f8", [*range(999)]), ValueError, r"pad_width is \[0, 1.{195}\.\.\., and the array has 1 axes"),
        (((3,), None, 1), TypeError, "dtype is None: give a dtype"),
        (({3: 4}, "f8", 1), TypeError, "shape: axis 0 has length {3: 4}"),
        ((itertools.repeat(1), "f8", 1), TypeError, "shape: axis 0 has length repeat"),
        ((b"ab", "f8", 1), TypeError, "shape: axis 0 has length b'ab'"),
        ((None, "f8", 1), TypeError, "shape: axis 0 has length None"),
    ],
)
def test_what_cannot_be_planned(arguments: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        Plan(*arguments)


def test_equal_plans_have_equal_hashes() -> None:
    for i, one in enumerate(plans()):
        for j, other in enumerate(plans()):
            assert (one == other) == (i == j)
            assert i != j or hash(one) == hash(other)
    assert Plan(3, "f8", 1) != "a plan" and Plan(3, "f8", 1) != Plan(3, "i8", 1)
    assert len(set(plans()) | set(plans())) == len(plans())


def test_plans_are_pickled() -> None:
    for plan in plans():
        for again in (pickle.loads(pickle.dumps(plan)), copy.deepcopy(plan)):
            assert again == plan and again.output_shape == plan.output_shape and repr(again) == repr(plan)
    plan = plans()[7]
    array = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(plan))(array), plan(array))


def test_what_is_no_plan_is_not_unpickled() -> None:
    reduced: Any = Plan(40_000_000, "f4", 1).__reduce__()
    make, (shape, dtype, pads, *_) = reduced
    window, none = ([(0, 1)], False), (None, None, None)
    for mode, box in [(("empty", False), window), (("mean", True), window), (("constant", True), None)]:
        with pytest.raises(ValueError, match="no windows|no constant for each side"):
            make(shape, dtype, pads, mode, None, None, none, box)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_boxes(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    side = st.integers(-2, 8)
    widths = data.draw(st.lists(st.tuples(side, side), min_size=len(shape), max_size=len(shape)))
    widths = [(max(low, 1 - length), max(high, 0)) for (low, high), length in zip(widths, shape)]
    array = np.arange(np.prod(shape)).reshape(shape)
    plan = Plan(shape, array.dtype, widths, data.draw(st.sampled_from(MODES)))
    whole = plan(array)
    ends = [sorted(data.draw(st.tuples(st.integers(0, n), st.integers(0, n)))) for n in whole.shape]
    box = tuple(slice(*end) for end in ends)
    np.testing.assert_array_equal(plan.window(box)(array), whole[box])
    # The parts contain each needed element once.
    parts = plan.input_regions(box)
    taken, found = np.zeros(shape, int), np.empty(parts.shape, array.dtype)
    for source, place in parts.boxes():
        taken[source] += 1
        found[place] = array[source]
    used = plan.window(box).adjoint(np.ones(whole[box].shape, array.dtype))
    np.testing.assert_array_equal(taken, used > 0)
    assert parts.is_empty == (not used.any())
    assert parts.is_slice == (len(list(parts.boxes())) == 1 and np.array_equal(found, whole[box]))
    window = plan.window_from_regions(box)
    assert window.shape == parts.shape and window.output_shape == whole[box].shape
    for lies in (found, np.asfortranarray(found)):
        np.testing.assert_array_equal(window(lies), whole[box])


def test_parts() -> None:
    plan = Plan((3, 100), int, ((0, 0), (2, 2)), "wrap")
    parts = plan.input_regions([(1, 3), (0, 5)])
    assert parts.axes == ((slice(1, 3),), (slice(0, 3), slice(98, 100))) and parts.shape == (2, 5)
    assert not parts.is_empty and not parts.is_slice
    assert repr(parts) == "InputRegions([1..3], [0..3, 98..100])"
    assert parts == plan.input_regions([slice(1, None), slice(5)]) != plan.input_regions([(0, 2), (0, 5)])
    assert hash(parts) == hash(plan.input_regions([(1, 3), (0, 5)]))
    assert repr(plan.window_from_regions([(1, 3), (0, 5)])).endswith(".window_from_regions([(1, 3), (0, 5)])")
    assert plan.input_regions([slice(None), (0, 2)]).is_slice and plan.input_regions([slice(None), (2, 90)]).is_slice
    assert Plan(5, int, 3).input_regions([(0, 3)]).is_empty
    # There are 2**22 boxes, which are made one after the other.
    many = Plan((3,) * 22, "u1", [(1, 0)] * 22, "wrap").input_regions([(0, 2)] * 22)
    assert next(many.boxes()) == ((slice(0, 1),) * 22, (slice(0, 1),) * 22)
    assert weakref.ref(plan)() is plan


def test_boxes_that_are_none() -> None:
    plan = Plan((3, 4), int, 1)
    for box in ([(0, 6), (0, 6)], [(3, 2), (0, 1)], [(0, 1)], [(0, 1)] * 3):
        with pytest.raises(IndexError):
            plan.window(box)
        with pytest.raises(IndexError):
            plan.input_regions(box)
        with pytest.raises(IndexError):
            plan.window_from_regions(box)
    with pytest.raises(ValueError, match="no steps"):
        plan.window([slice(0, 4, 2), slice(None)])
    with pytest.raises(ValueError, match="a box already"):
        plan.window([(0, 2), (0, 2)]).window_from_regions([(0, 1), (0, 1)])
    with pytest.raises(ValueError, match="no windows"):
        Plan(3, int, 1, "empty").window([(0, 1)])


def test_boxes_of_wrong_things() -> None:
    plan = Plan(5, int, 1)
    for box, says in [
        ([3], "axis 0: the box has 3: give a slice"),
        ([(0.5, 1)], "axis 0: the box has"),
        ([slice(-1, 2)], "axis 0: the box has slice"),
        ([{0, 1}], "axis 0: the box has {0, 1}"),
        (5, "box is 5: give a slice"),
        (itertools.repeat((0, 0)), "box is repeat"),
    ]:
        with pytest.raises(TypeError, match=says):
            plan.window(box)  # type: ignore[arg-type]
    assert plan.window([[0, 3]]).output_shape == plan.window(np.array([[0, 3]])).output_shape == (3,)  # type: ignore[arg-type, list-item]


def test_plans_are_shared_by_threads() -> None:
    """Threads share small and large plans, with and without the GIL, while other threads make plans."""
    arrays = [np.random.default_rng(n).random((n, 2 * n)) for n in (2, 17, 150, 400)]
    plans = [Plan(array.shape, array.dtype, (2, 5), mode) for array in arrays for mode in MODES]
    modes: list[Any] = [plan.mode for plan in plans]
    expected = [np.pad(arrays[i // len(MODES)], (2, 5), mode) for i, mode in enumerate(modes)]

    def work(seed: int) -> int:
        rng, wrong = np.random.default_rng(seed), 0
        for _ in range(150):
            i = int(rng.integers(len(plans)))
            array = arrays[i // len(MODES)]
            widths = [int(width) for width in rng.integers(0, 9, 2)]
            wrong += not np.array_equal(plans[i](array), expected[i])
            wrong += not np.array_equal(plans[i](np.asfortranarray(array)), expected[i])
            wrong += pad_kernels.pad(array, widths, modes[i]).shape[0] != array.shape[0] + sum(widths)
        return wrong

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(work, range(16))) == 0
