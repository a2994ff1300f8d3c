"""Records the calls of numpy.pad that a program makes, to a file. `bench.py` times the calls of such a file.

    python bench_calls.py FILE MODULE [ARGUMENT ...]    runs a module, such as pytest, and records its calls
    python bench.py --calls FILE                        times them against numpy.pad

Each line of the file is a JSON object. It has the `shape`, `dtype` and `byte_strides` of the array, the `mode`, the
`pad_width`, the keyword arguments in `values`, and the number of such calls in `count`. A tuple is written as {"t": [...]}, a
list as {"l": [...]}, and a dict as {"d": [[key, value]]}. A scalar of numpy has the keys "dtype" and "s", and an array "dtype"
and "a".
"""

from __future__ import annotations

import json
import math
import runpy
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import pad_kernels
from pad_kernels import _numpy

from pad_kernels._patch import Patch

Measure = Callable[[dict[str, Callable[[], Any]], int], dict[str, float]]


def encoded(value: Any) -> Any:
    """Return a value in the form of the file."""
    match value:
        case np.ndarray():
            return {"dtype": value.dtype.str, "a": value.tolist()}
        case np.generic():
            return {"dtype": value.dtype.str, "s": value.item()}
        case tuple():
            return {"t": [encoded(each) for each in value]}
        case list():
            return {"l": [encoded(each) for each in value]}
        case dict():
            return {"d": [[key, encoded(each)] for key, each in value.items()]}
    return value


def decoded(value: Any) -> Any:
    match value:
        case {"t": values}:
            return tuple(map(decoded, values))
        case {"l": values}:
            return list(map(decoded, values))
        case {"d": pairs}:
            return {key: decoded(each) for key, each in pairs}
        case {"dtype": dtype, "s": scalar}:
            return np.dtype(dtype).type(scalar)
        case {"dtype": dtype, "a": array}:
            return np.array(array, dtype)
        case dict():
            raise ValueError(f"{value} is no value of a call")
    return value


def record(path: Path, module: str) -> None:
    """Run a module, and append its new calls to the file."""
    found: Counter[str] = Counter()
    if path.exists():
        for line in path.read_text().splitlines():
            call = json.loads(line)
            found[json.dumps(call | {"count": 0})] += call["count"]

    def recorded(array: Any, pad_width: Any, mode: Any, **values: Any) -> Any:
        padded = _numpy.implementation(array, pad_width, mode, **values)
        # The file does not get calls that numpy refused, and calls whose arguments have no form in the file.
        if isinstance(array, np.ndarray) and isinstance(mode, str) and not array.dtype.hasobject:
            call = {"shape": array.shape, "dtype": array.dtype.str, "byte_strides": array.strides, "mode": mode, "count": 0}
            try:
                found[json.dumps(call | {"pad_width": encoded(pad_width), "values": encoded(values)})] += 1
            except TypeError:
                pass
        return padded

    with Patch(_numpy.public_implementation, recorded):
        try:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        finally:
            lines = [json.dumps(json.loads(call) | {"count": count}) for call, count in found.most_common()]
            path.write_text("".join(f"{line}\n" for line in lines))


def array_of(call: dict[str, Any]) -> Any:
    """Return an array of numbers from 0 to 99 with the memory layout of the call's array."""
    dtype, shape, strides = np.dtype(call["dtype"]), tuple(call["shape"]), tuple(call["byte_strides"])
    if not math.prod(shape):
        return np.empty(shape, dtype)
    reach = [stride * (length - 1) for stride, length in zip(strides, shape, strict=True)]
    low, high = sum(min(each, 0) for each in reach), sum(max(each, 0) for each in reach) + dtype.itemsize
    numbers = np.random.default_rng(0).integers(0, 100, -((low - high) // dtype.itemsize) + 1)
    buffer = numbers.astype(dtype).view(np.uint8) if dtype.kind in "biufcmM" else np.zeros(high - low, np.uint8)
    return np.ndarray(shape, dtype, buffer[: high - low], -low, strides)


def calls_of(path: Path) -> Iterator[tuple[dict[str, Any], Any, tuple[Any, ...], dict[str, Any]]]:
    """Return the calls of a file that can be repeated: calls with a numpy array and the name of a mode."""
    for line in path.read_text().splitlines():
        call = json.loads(line)
        if call["byte_strides"] is None or call["mode"] == "function" or np.dtype(call["dtype"]).hasobject:
            continue
        try:
            given = decoded(call["pad_width"]), decoded(call["values"])
        except ValueError:
            continue
        yield call, array_of(call), (given[0], call["mode"]), given[1]


def bench(path: Path, rounds: int, measure: Measure) -> None:
    handed: set[str] = set()

    def counted(name: str) -> Callable[..., Any]:
        original = getattr(_numpy, name)

        def helper(*args: Any, **kwargs: Any) -> Any:
            handed.add(name)
            return original(*args, **kwargs)

        return helper

    # The compiled code calls these functions if it needs numpy. The functions that a call has used decide its row in the table.
    names = ["pad", "widths", "fills", "ends", "as_array"]
    originals = {name: getattr(_numpy, name) for name in names}
    found: dict[str, list[tuple[float, float, float, str]]] = {}
    for call, array, arguments, values in calls_of(path):
        def ours() -> Any:
            return pad_kernels.pad(array, *arguments, **values)

        def theirs() -> Any:
            return np.pad(array, *arguments, **values)

        handed.clear()
        for name in names:
            setattr(_numpy, name, counted(name))
        try:
            same = ours().tobytes() == theirs().tobytes()
        except Exception:
            continue
        finally:
            for name in names:
                setattr(_numpy, name, originals[name])
        text = f"{call['shape']} {call['dtype']} {call['mode']} {arguments[0]} {values}"
        # numpy rounds a mean more often than pad_kernels. In mode `empty`, the border is not defined.
        if not same and call["mode"] not in ("mean", "empty"):
            raise SystemExit(f"another result: {text}")
        times = measure({"ours": ours, "numpy": theirs}, rounds)
        group = "numpy pads" if "pad" in handed else "converted by numpy" if handed else "native"
        found.setdefault(group, []).append((times["numpy"] / times["ours"], times["ours"], call["count"], text))
    print("| calls | signatures | calls made | our time, us | numpy's time by ours | least | slower than numpy |")
    print("|---|---|---|---|---|---|---|")
    for group, rows in found.items():
        logs = [math.log(row[0]) for row in rows]
        seconds = math.exp(sum(math.log(row[1]) for row in rows) / len(rows))
        print(
            f"| {group} | {len(rows)} | {sum(row[2] for row in rows)} | {seconds * 1e6:.2f} |"
            f" {math.exp(sum(logs) / len(logs)):.1f} | {min(rows)[0]:.2f} | {sum(row[0] < 1 for row in rows)} |"
        )
    for group, rows in found.items():
        print(f"\nLeast ratios, {group}:\n")
        for ratio, seconds, _, text in sorted(rows)[:8]:
            print(f"- {ratio:.2f}, {seconds * 1e6:.2f} us: {text[:150]}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    del sys.argv[0]
    record(Path(sys.argv[0]), sys.argv.pop(1))
