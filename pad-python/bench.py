#!/usr/bin/env python3
"""Measures pad_kernels against numpy, OpenCV, torch and others, on one thread.

    python bench.py [--only calls,sizes,computed,values,grid,work,threads,torch] [--rounds 15]
    python bench.py --calls calls.jsonl

The script compares results before it times them. It names and skips a competitor with another result. Each line comes from
one run. In each round, the competitors take turns in a random order. A turn is at least 2 ms long, after one call that is not
timed. The fastest turn of a competitor counts. A ratio is the time of the other library divided by the time of pad_kernels, so
pad_kernels is slower if the ratio is below 1.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bench_calls
import pad_kernels

# The stubs do not allow modes that are known only at run time.
PAD: Any = pad_kernels.pad
NUMPY: Any = np.pad
PLAN: Any = pad_kernels.Plan

Call = Callable[[], Any]

COPYING = ["constant", "edge", "reflect", "symmetric", "wrap"]
TURN = 2e-3


def seconds(call: Call, repeats: int) -> float:
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def measure(calls: dict[str, Call], rounds: int) -> dict[str, float]:
    repeats = {}
    for name, call in calls.items():
        call()
        once = seconds(call, 1)
        repeats[name] = max(1, math.ceil(TURN / max(min(once, seconds(call, 3)), 1e-7)))
        if once > 0.2:
            rounds = min(rounds, 5)
    times: dict[str, list[float]] = {name: [] for name in calls}
    order = random.Random(0)
    for _ in range(rounds):
        # torch changes the heap for the library that runs after it. In a random order, this is not always the same library.
        for name in order.sample(list(calls), len(calls)):
            calls[name]()
            times[name].append(seconds(calls[name], repeats[name]))
    return {name: min(of) for name, of in times.items()}


def unit(time: float) -> str:
    for scale, name in [(1e-6, "ns"), (1e-3, "us"), (1.0, "ms")]:
        if time < scale:
            return f"{time / scale * 1000:.3g} {name}"
    return f"{time:.3g} s"


def table(head: list[str], rows: list[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def calls(rounds: int) -> None:
    """Measure calls for small arrays."""
    rows = []
    for shape in [(3, 3), (64, 64)]:
        array = np.arange(float(math.prod(shape))).reshape(shape)
        for mode in COPYING:
            same(PAD(array, 1, mode), NUMPY(array, 1, mode), mode)
            plan = PLAN(shape, array.dtype, 1, mode) if mode in COPYING else None
            out = np.empty([n + 2 for n in shape])
            found = measure(
                {
                    "ours": lambda: PAD(array, 1, mode),
                    "numpy": lambda: NUMPY(array, 1, mode),
                    **({"plan": lambda: plan(array, out)} if plan else {}),
                },
                rounds,
            )
            of_plan = unit(found["plan"]) if plan else ""
            ours, numpy = found["ours"], found["numpy"]
            rows.append([str(shape), mode, unit(ours), of_plan, unit(numpy), f"{numpy / ours:.1f}"])
    table(["floats", "mode", "`pad`", "`plan(a, out)`", "numpy", "ratio"], rows)


def sizes(rounds: int) -> None:
    """Compare `pad` with numpy.pad for square arrays of floats, up to 64 MiB, with a border of 8. The last column has the time of
    numpy.pad divided by the time in which numpy copies the result to a new array."""
    rows = []
    for side in [8, 32, 128, 256, 512, 724, 1024, 1448, 2048, 2896]:
        array = np.random.default_rng(0).random((side, side))
        row = [f"{side} x {side}, {array.nbytes / 2**20:.3g} MiB"]
        copies = []
        for mode in COPYING:
            result = NUMPY(array, 8, mode)
            same(PAD(array, 8, mode), result, mode)
            found = measure(
                {
                    "ours": lambda: PAD(array, 8, mode),
                    "numpy": lambda: NUMPY(array, 8, mode),
                    "copy": lambda: result.copy(),
                },
                rounds,
            )
            row.append(f"{found['numpy'] / found['ours']:.2f}")
            copies.append(found["numpy"] / found["copy"])
        rows.append([*row, f"{min(copies):.2f} to {max(copies):.2f}"])
    table(["floats", *COPYING, "a copy"], rows)


COMPUTED: list[tuple[str, str, dict[str, Any]]] = [
    ("linear ramp", "linear_ramp", {}),
    ("maximum", "maximum", {}),
    ("minimum", "minimum", {}),
    ("mean", "mean", {}),
    ("median", "median", {}),
    ("maximum of 4", "maximum", {"stat_length": 4}),
    ("mean of 4", "mean", {"stat_length": 4}),
    ("median of 4", "median", {"stat_length": 4}),
    ("odd reflection", "reflect", {"reflect_type": "odd"}),
    ("constants per side", "constant", {"constant_values": (1, 2)}),
    ("empty", "empty", {}),
]


def computed(rounds: int) -> None:
    """Measure modes that compute their borders, for 32-bit floats. A cell has the time of numpy.pad divided by the time of a plan
    that writes to an existing array. The number in brackets is the time of numpy.pad divided by the time in which numpy copies
    the result to an existing array."""
    cases: list[tuple[str, tuple[int, ...], Any]] = [
        ("1024 x 1024 by 16", (1024, 1024), 16),
        ("64 x 64 x 3 by 8", (64, 64, 3), 8),
        ("the same, but for channels", (64, 64, 3), ((8, 8), (8, 8), (0, 0))),
    ]
    rows = [[name] for name, _, _ in COMPUTED]
    for _, shape, widths in cases:
        array = np.random.default_rng(0).random(shape, dtype=np.float32)
        for row, (name, mode, given) in zip(rows, COMPUTED):
            expected = NUMPY(array, widths, mode, **given)
            plan, out, copy = PLAN(shape, "f4", widths, mode, **given), np.empty_like(expected), np.empty_like(expected)
            plan(array, out)
            # numpy rounds a mean more often than pad_kernels, which rounds it once. In mode empty, the border is not defined.
            if mode != "empty" and not np.allclose(out, expected, rtol=1e-5 if mode == "mean" else 0, atol=0):
                raise SystemExit(f"{name}: another result")
            found = measure(
                {
                    "ours": lambda: plan(array, out),
                    "numpy": lambda: NUMPY(array, widths, mode, **given),
                    "copy": lambda: np.copyto(copy, expected),
                },
                rounds,
            )
            numpy = found["numpy"]
            row.append(f"{numpy / found['ours']:.1f} ({numpy / found['copy']:.1f})")
    table(["f32", *(name for name, _, _ in cases)], rows)


VALUES: dict[str, Callable[[Any], NDArray[Any]]] = {
    "normal": lambda x: x,
    "zeros": np.zeros_like,
    "two": lambda x: (x > 0).astype(float),
    "few": lambda x: np.floor(np.abs(x * 3)),
    "nan": lambda x: np.where(x > 2.3, np.nan, x),
    "ascending": np.sort,
    "descending": lambda x: np.sort(x)[::-1],
    "huge and tiny": lambda x: np.exp(100 * x),
}


def values(rounds: int) -> None:
    """Compare the modes that compute borders with numpy.pad, for 8 element types, 8 kinds of values and a border of 4. A cell has
    the lowest ratio of the 64 arrays of a shape."""
    shapes = [(1_000_000,), (1000, 1000), (480, 640, 3), (100_000, 2), (200, 200, 50), (30, 3000), (2, 100_000), (1000,), (10,)]
    shapes += [(64, 64), (16, 16, 16, 16), (8, 3, 32, 32)]
    modes: dict[str, dict[str, Any]] = {name: given | {"mode": mode} for name, mode, given in COMPUTED[:9]}
    modes |= {"minimum of 4": {"mode": "minimum", "stat_length": 4}}
    modes |= {"odd symmetric": {"mode": "symmetric", "reflect_type": "odd"}}
    worst: dict[tuple[str, tuple[int, ...]], float] = {}
    found: list[tuple[float, str]] = []
    warnings.simplefilter("ignore")
    for shape, dtype, (kind, make) in itertools.product(shapes, ["f8", "f4", "f2", "u1", "i2", "i4", "i8", "c16"], VALUES.items()):
        drawn = make(np.random.default_rng(0).standard_normal(math.prod(shape)))
        if dtype[0] in "iu":
            drawn = np.clip(np.nan_to_num(drawn * 40, posinf=0) + 128 * (dtype == "u1"), 0 if dtype == "u1" else -128, 127)
        array = drawn.reshape(shape).astype(dtype)
        for name, given in modes.items():
            result = PAD(array, 4, **given)
            if not np.array_equal(result, NUMPY(array, 4, **given), equal_nan=dtype[0] in "fc"):
                raise SystemExit(f"{name}, {shape}, {dtype}, {kind}: another result")
            calls = {"ours": lambda: PAD(array, 4, **given), "numpy": lambda: NUMPY(array, 4, **given)}
            times = measure(calls, min(rounds, 5))
            ratio = times["numpy"] / times["ours"]
            worst[name, shape] = min(ratio, worst.get((name, shape), math.inf))
            found.append((ratio, f"{name}, {shape}, {dtype}, {kind}"))
        print(f"{len(found)} of {len(shapes) * 64 * len(modes)}", end="\r", file=sys.stderr)
    table(["shape", *modes], [[str(shape), *(f"{worst[name, shape]:.2f}" for name in modes)] for shape in shapes])
    mean = math.exp(sum(math.log(ratio) for ratio, _ in found) / len(found))
    print(f"The geometric mean of {len(found)} ratios is {mean:.1f}. The lowest are:\n")
    print("\n".join(f"- {ratio:.2f}: {name}" for ratio, name in sorted(found)[:5]))

def grid(rounds: int) -> None:
    """Compare `pad` with numpy.pad for the shapes, widths and modes of numpy's own benchmark of pad."""
    rows = []
    modes = ["constant", "edge", "linear_ramp", "mean", "reflect", "wrap"]
    for shape in [(2**22,), (1024, 1024), (256, 128, 1), (4, 4, 4, 4), (1, 1, 1, 1, 1)]:
        for width in [1, 8, (0, 32)]:
            array, row = np.ones(shape), [str(shape), str(width)]
            for mode in modes:
                same(PAD(array, width, mode), NUMPY(array, width, mode), mode)
                found = measure(
                    {"ours": lambda: PAD(array, width, mode), "numpy": lambda: NUMPY(array, width, mode)},
                    min(rounds, 7),
                )
                row.append(f"{found['numpy'] / found['ours']:.2f}")
            rows.append(row)
    table(["shape", "width", *modes], rows)


def same(ours: NDArray[Any], theirs: Any, name: str) -> None:
    if not np.array_equal(ours, np.asarray(theirs)):
        raise SystemExit(f"{name}: another result")


def opencv(array: NDArray[Any], widths: list[tuple[int, int]], mode: str, value: Any) -> Call | None:
    """Return a call of OpenCV's `copyMakeBorder`, or None if OpenCV cannot pad the array.

    If an image has too many channels for one call, the function pads groups of channels, as albumentations does.
    """
    try:
        import cv2
    except ImportError:
        return None
    cv2.setNumThreads(1)
    most = 512 if int(cv2.__version__.split(".")[0]) < 5 else 128
    kinds = {
        "constant": cv2.BORDER_CONSTANT,
        "edge": cv2.BORDER_REPLICATE,
        "symmetric": cv2.BORDER_REFLECT,
        "reflect": cv2.BORDER_REFLECT_101,
        "wrap": cv2.BORDER_WRAP,
    }
    if array.ndim > 3 or any(width != (0, 0) for width in widths[2:]) or array.dtype not in (np.uint8, np.float32):
        return None
    ends = (*widths[0], *widths[1])
    values = (value,) * 4
    if array.ndim == 2 or array.shape[2] <= most:
        # OpenCV has one value for each of four channels. If an image has more channels, the four values must be equal.
        return lambda: cv2.copyMakeBorder(array, *ends, kinds[mode], value=values)
    parts = range(0, array.shape[2], most)


    def in_parts() -> Any:
        taken = (np.ascontiguousarray(array[..., i : i + most]) for i in parts)
        return np.concatenate([cv2.copyMakeBorder(part, *ends, kinds[mode], value=values) for part in taken], axis=2)

    return in_parts


def torch_pad(array: NDArray[Any], widths: list[tuple[int, int]], mode: str, value: Any) -> Call | None:
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    names = {"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "circular"}
    if mode not in names:
        return None
    tensor, padded = torch.from_numpy(array), [axis for axis, width in enumerate(widths) if width != (0, 0)]
    flat = [side for axis in reversed(range(padded[0], array.ndim)) for side in widths[axis]]
    if mode != "constant":
        # torch pads the last one to three axes, and needs one or two axes without padding before them.
        if len(flat) // 2 > 3:
            return None
        while tensor.ndim < len(flat) // 2 + 1:
            tensor = tensor[None]
        if tensor.ndim > len(flat) // 2 + 2:
            return None
    given = {"value": value} if mode == "constant" else {}
    call: Any = lambda: torch.nn.functional.pad(tensor, flat, names[mode], **given)  # noqa: E731
    try:
        call()
    except (RuntimeError, NotImplementedError, ValueError):
        return None
    return lambda: call().numpy()


WORK: list[tuple[str, tuple[int, ...], str, list[tuple[int, int]]]] = [
    ("a picture, RGB", (480, 640, 3), "u1", [(16, 16), (16, 16), (0, 0)]),
    ("a large picture, RGB", (2160, 3840, 3), "u1", [(32, 32), (32, 32), (0, 0)]),
    ("a thumbnail, RGB", (32, 32, 3), "u1", [(4, 4), (4, 4), (0, 0)]),
    ("a grey picture, floats", (512, 512), "f4", [(8, 8), (8, 8)]),
    ("hyperspectral, 600 channels", (128, 128, 600), "f4", [(4, 4), (4, 4), (0, 0)]),
    ("a batch for a convolution", (32, 64, 56, 56), "f4", [(0, 0), (0, 0), (1, 1), (1, 1)]),
    ("a volume", (1, 1, 96, 96, 96), "f4", [(0, 0), (0, 0), (8, 8), (8, 8), (8, 8)]),
    ("audio, a batch of 16", (16, 1, 160_000), "f4", [(0, 0), (0, 0), (400, 400)]),
    ("a spectrogram", (80, 3000), "f4", [(0, 0), (0, 500)]),
    ("sequences, channels last", (64, 128, 512), "f4", [(0, 0), (0, 32), (0, 0)]),
]


def work(rounds: int) -> None:
    """Compare `pad` with numpy, OpenCV and torch for arrays as other projects pad them."""
    others: dict[str, Any] = {"OpenCV": opencv, "torch": torch_pad}
    rows, lost = [], []
    for name, shape, dtype, widths in WORK:
        rng = np.random.default_rng(0)
        array = rng.integers(0, 256, shape).astype(dtype) if dtype == "u1" else rng.random(shape).astype(dtype)
        for mode in COPYING:
            value = 7 if mode == "constant" else 0
            given: dict[str, Any] = {"constant_values": value} if mode == "constant" else {}
            expected = NUMPY(array, widths, mode, **given)
            calls: dict[str, Call] = {
                "ours": lambda: PAD(array, widths, mode, **given),
                "numpy": lambda: NUMPY(array, widths, mode, **given),
            }
            for other, make in others.items():
                call = make(array, widths, mode, value)
                if call is None:
                    continue
                made = np.asarray(call())
                if made.size == expected.size and np.array_equal(made.reshape(expected.shape), expected):
                    calls[other] = call
                else:
                    print(f"{other}: another result for {name}, {mode}")
            same(calls["ours"](), expected, name)
            found = measure(calls, min(rounds, 9))
            ours = found["ours"]
            ratios = {other: found[other] / ours for other in ["numpy", *others] if other in found}
            lost += [f"{name}, {mode}: {other} {ratio:.2f}" for other, ratio in ratios.items() if ratio < 0.97]
            cells = [f"{ratios[other]:.2f}" if other in ratios else "" for other in ["numpy", *others]]
            rows.append([name if mode == COPYING[0] else "", mode, unit(ours), *cells])
    table(["workload", "mode", "`pad`", "numpy", *others], rows)
    print("Slower than another:", "; ".join(lost) or "nowhere", "\n")


def threads(rounds: int) -> None:
    """Measure plans on one thread, with `threads=2`, and on two threads of Python. The last two columns have the speedup."""
    from concurrent.futures import ThreadPoolExecutor

    rows = []
    for side in [64, 90, 128, 256, 1024, 2896]:
        array = np.ones((side, side))
        plan, out = PLAN(array.shape, array.dtype, 8, "edge"), np.empty((side + 16, side + 16))
        found = measure({"1": lambda: plan(array, out), "2": lambda: plan(array, out, threads=2)}, rounds)
        many = max(4, int(2e-2 / found["1"]))

        def alone(out: Any) -> None:
            for _ in range(many):
                plan(array, out)

        outs = [out, out.copy()]
        with ThreadPoolExecutor(2) as pool:
            both = min(seconds(lambda: list(pool.map(alone, outs)), 1) for _ in range(rounds)) / many / 2
        rows.append([f"{out.nbytes / 1024:.0f} KiB", unit(found["1"]), f"{found['1'] / found['2']:.2f}", f"{found['1'] / both:.2f}"])
    table(["output", "one thread", "`threads=2`", "two threads of Python"], rows)


def tensors(rounds: int) -> None:
    """Measure `torch_pad` and torch's own pad, first without gradients, and then with the gradient of the sum of the result. The
    last two columns have the time of `torch_pad` divided by the time of torch's pad."""
    try:
        import torch
    except ImportError:
        print("torch is not installed\n")
        return
    torch.set_num_threads(1)
    ours: Any = pad_kernels.torch_pad
    theirs: Any = torch.nn.functional.pad

    def differentiated(pad: Any, x: Any, *given: Any) -> Any:
        x.grad = None
        pad(x, *given).sum().backward()
        return x.grad

    rows = []
    for shape in [(3, 3), (64, 64)]:
        for mode in ["constant", "replicate", "reflect"]:
            x = torch.rand(1, *shape)
            leaf, given = x.clone().requires_grad_(), ((1, 1, 1, 1), mode)
            same(ours(x, *given).numpy(), theirs(x, *given), mode)
            same(differentiated(ours, leaf, *given), differentiated(theirs, leaf, *given), mode)
            found = measure(
                {
                    "ours": lambda: ours(x, *given),
                    "theirs": lambda: theirs(x, *given),
                    "ours, gradient": lambda: differentiated(ours, leaf, *given),
                    "theirs, gradient": lambda: differentiated(theirs, leaf, *given),
                },
                rounds,
            )
            cells = [f"{found[f'ours{of}'] / found[f'theirs{of}']:.2f}" for of in ("", ", gradient")]
            rows.append([str(shape), mode, *map(unit, found.values()), *cells])
    table(["floats", "mode", *found, "ours by theirs", "gradients"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"calls": calls, "sizes": sizes, "computed": computed, "values": values, "grid": grid, "work": work}
    parts |= {"threads": threads, "torch": tensors}
    parser.add_argument("--only", default=",".join(parts), help="some of: " + ", ".join(parts))
    parser.add_argument("--rounds", type=int, default=15, help="turns of each competitor")
    parser.add_argument("--calls", type=Path, metavar="FILE", help="time the calls of a file, and nothing else")
    given = parser.parse_args()
    if given.calls:
        bench_calls.bench(given.calls, min(given.rounds, 5), measure)
        return
    for name in given.only.split(","):
        print(f"**{name}**: {parts[name].__doc__}\n")
        parts[name](given.rounds)


if __name__ == "__main__":
    main()
