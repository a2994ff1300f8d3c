"""Tests of borders with changed signs, of borders along a line, and of statistics without NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import pad_kernels

NAMES: dict[str, Any] = {
    "zero": "constant",
    "constant": "edge",
    "symmetric": "symmetric",
    "reflect": "reflect",
    "periodic": "wrap",
    "periodization": "wrap",
    "smooth": "smooth",
    "antisymmetric": "antisymmetric",
    "antireflect": "antireflect",
}


@pytest.mark.parametrize("mode", NAMES)
def test_the_nine_modes_of_pywavelets(mode: str) -> None:
    pywt = pytest.importorskip("pywt")
    assert set(pywt.Modes.modes) == set(NAMES)
    random = np.random.default_rng(9)
    for dtype in "bhilBHILefdFD":
        # pywt refuses to negate unsigned numbers, and computes lines of uint64 in floats.
        if dtype in {"antisymmetric": "BHIL", "smooth": "L"}.get(mode, ""):
            continue
        for _ in range(40):
            # In some modes, pywt.pad fails for borders of length 0. In mode smooth, it assumes a zero beside a single element.
            shape = random.integers(2 if mode == "smooth" else 1, 7, random.integers(1, 4))
            widths = random.integers(1, 12, (len(shape), 2))
            array = (random.standard_normal(shape) * 40).astype(dtype)
            with np.errstate(over="ignore"):
                expected = pywt.pad(array, widths, mode)
            if mode == "periodization":
                array = pad_kernels.pad(array, [(0, length % 2) for length in shape], "edge")
            np.testing.assert_array_equal(pad_kernels.pad(array, widths, NAMES[mode]), expected)


def test_signs_need_signed_numbers() -> None:
    for array in (np.arange(3, dtype="u1"), np.array([True, False])):
        with pytest.raises((TypeError, ValueError), match="antisymmetric|negated"):
            pad_kernels.pad(array, 1, "antisymmetric")
    with pytest.raises(ValueError, match=r"pad_width is \(-1, 1\), and mode 'antisymmetric' changes the signs of its borders; crop"):
        pad_kernels.pad(np.arange(3), (-1, 1), "antisymmetric")
    with pytest.raises(TypeError, match="no argument 'stat_length'"):
        pad_kernels.pad(np.arange(3), 1, "smooth", stat_length=2)


def test_a_single_element_is_repeated() -> None:
    # This result is that of pywt.dwt. The result of pywt.pad differs.
    np.testing.assert_array_equal(pad_kernels.pad([5.0], 2, "smooth"), [5.0] * 5)


@pytest.mark.parametrize("mode", ["nanmax", "nanmean", "nanmedian", "nanmin"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
def test_statistics_without_nan(mode: Any, dtype: str) -> None:
    random = np.random.default_rng(7)
    for length in (1, 2, 9, 100):
        array = random.integers(-50, 50, (length, 5)).astype(dtype)
        if array.dtype.kind == "f":
            array[random.random(array.shape) < 0.4] = np.nan
            array[:, 0] = np.nan
        with np.errstate(invalid="ignore"), pytest.warns(RuntimeWarning) if array.dtype.kind == "f" else np.errstate():
            statistic = getattr(np, mode)(array, axis=0)
            last = getattr(np, mode)(array[-3:], axis=0)
        padded = pad_kernels.pad(array, ((2, 0), (0, 0)), mode)
        expected = np.round(statistic).astype(dtype) if array.dtype.kind == "i" else statistic
        np.testing.assert_allclose(padded[:2], [expected] * 2, rtol=1e-3 if dtype == "f2" else 1e-6)
        padded = pad_kernels.pad(array, ((0, 1), (0, 0)), mode, stat_length=3)
        expected = np.round(last).astype(dtype) if array.dtype.kind == "i" else last
        np.testing.assert_allclose(padded[-1], expected, rtol=1e-3 if dtype == "f2" else 1e-6)


def test_extremes_name_bool() -> None:
    assert pad_kernels.pad(np.array([True, False]), 1, "nanmin").tolist() == [False, True, False, False]
    for dtype in ("U1", "M8[s]"):
        with pytest.raises(TypeError, match="mode 'nanmax' computes with bool, integers, floats .* numbers, not with"):
            pad_kernels.pad(np.zeros(2, dtype), 1, "nanmax")


def test_ways_to_run() -> None:
    array = np.arange(60.0).reshape(3, 4, 5)
    for mode in ("antisymmetric", "smooth", "nanmean"):
        expected = pad_kernels.pad(array, 2, mode)
        plan = pad_kernels.Plan(array.shape, array.dtype, 2, mode)  # type: ignore[arg-type]
        assert plan.mode == mode
        np.testing.assert_array_equal(plan(array), expected)
        np.testing.assert_array_equal(pad_kernels.pad(np.asfortranarray(array), 2, mode, threads=2), expected)
        out = np.empty(expected.shape[::-1]).T
        assert pad_kernels.pad(array[:, ::-1][:, ::-1], 2, mode, out=out) is out
        np.testing.assert_array_equal(out, expected)


def test_types_are_chosen_before() -> None:
    array = np.array([1, 2, 3])
    np.testing.assert_array_equal(
        pad_kernels.pad(array, 1, constant_values=np.nan, dtype=float), [np.nan, 1.0, 2.0, 3.0, np.nan]
    )
    assert pad_kernels.pad([1, 2], 1, "mean", dtype="f4").tolist() == [1.5, 1.0, 2.0, 1.5]
    assert pad_kernels.pad(array, 1, "edge", dtype="i2", interior=1).dtype == np.int16

    class Own:
        def __array_function__(self, *_: Any) -> None: ...

    given: Any
    for given in ({"dtype": float}, {"threads": 1}, {"interior": 1}, {"frame": "cropped"}, {"mode": ["edge"]}):
        name = "a mode for each axis" if "mode" in given else [*given][0]
        with pytest.raises(TypeError, match=f"{name} is for numpy arrays, and a pad_kernels.*Own is padded by its own type: "):
            pad_kernels.pad(Own(), 1, **given)  # type: ignore[call-overload]
