"""Checks all files of cases, and prints counts.

It checks the fields, that ids are unique, and that README.md describes every flag. It checks every `expect` twice: by the rules,
and by a walk along each axis, which shares no arithmetic with the rules. The walk checks only tensors, not errors.
"""

import collections
import glob
import itertools
import json
import os
import re
import sys

import rules
from common import ORDER, VECTORS
from elements import ALIASES, DTYPES, decode, dtype_name, encode

REQUIRED = {"id", "dialect", "dtype", "shape", "data", "low", "high", "mode", "expect", "source"}
VERSIONS = {"onnx": set(range(1, 29)), "openvino": {1, 12}, "ngraph": {"v0-interior", "v0", "v1"},
            "litert": {"PAD", "PADV2", "MIRROR_PAD", "DILATE"}}
FLAVOURS = {"onnx": {"spec", "onnxruntime", "evaluator"}, "scipy": {"filter", "interpolation"}, "openvino": {None, "engine"}}
ARGS = {"numpy": {"pad_width", "itemsize"}, "torch": {"pad"}, "coreml": {"pad"}, "onnx": {"pads_shape", "value_shape", "axes_dtype"},
        "openvino": {"clamp"}, "tensorflow": {"paddings"},
        "litert": {"zero_point", "value_zero_point", "value_shape", "paddings_dtype"}, "opencv": {"roi", "isolated"}, "scipy": {"mode"}, "tensorrt": {"mode", "stride"}}
ENGINES = {"numpy", "onnx", "onnx-evaluator", "onnx-shape-inference", "onnx-text", "onnxruntime", "openvino", "openvino-cpu",
           "openvino-cpu-dynamic", "openvino-text", "xla", "torch", "tensorflow", "tensorflow-raw", "ngraph",
           "litert", "litert-xnnpack", "opencv", "scipy", "webnn", "coreml", "tensorrt"}


def walk(d, lo, hi, r, mode, frame):
    """Returns the source index of each output position of an axis, or None for the fill. It moves in steps of one."""
    line = []                                     # the axis with its interior padding
    for i in range(d):
        line += [i] + [None] * (r if i + 1 < d else 0)
    size = len(line) + lo + hi
    begin, end = 0, len(line)
    if frame == "cropped":
        begin, end = min(-lo, len(line)) if lo < 0 else 0, len(line) - min(-hi, len(line)) if hi < 0 else len(line)
        end = max(begin, end)
    kept = line[begin:end]
    start = lo + begin                            # the output position of kept[0]

    def steps(at, step):                          # at: the index in `kept` that the border reads first
        n, i, way = len(kept), at, step
        while True:
            if mode == "constant":
                yield None
                continue
            if mode == "edge":
                yield kept[at]
                continue
            if mode == "wrap":
                yield kept[i]
                i = i + way
                i = n - 1 if i < 0 else 0 if i == n else i
                continue
            yield kept[i]
            if n == 1:
                continue
            if not 0 <= i + way < n:
                way = -way
                if mode == "symmetric":
                    continue                      # the border repeats the last element
            i += way

    if not kept:
        return [None] * size if mode == "constant" else [] if size == 0 else "refused"
    n = len(kept)
    period = 2 * n * max(1, n - 1)                # a multiple of the period of every mode
    if start < -(n + 10000):                      # skip whole periods before the output
        start += (-start - n) // period * period
    if start > size + 10000:
        start -= (start - size) // period * period
    if mode == "wrap":
        below, above = steps(n - 1, -1), steps(0, 1)
    elif mode == "reflect":
        below, above = steps(min(1, n - 1), 1), steps(max(n - 2, 0), -1)
    else:
        below, above = steps(0, 1), steps(n - 1, -1)
    low_side = list(itertools.islice(below, max(0, start)))[::-1]
    whole = low_side + kept
    first = max(0, -start)                        # the index in `whole` of output position 0
    need = first + size
    whole += list(itertools.islice(above, max(0, need - len(whole))))
    return whole[first:need]


def by_walking(line):
    """Returns the answer of a case that is not an error, with the positions from `walk`."""
    low, high, interior, frame, fill = rules.DIALECTS[line["dialect"]](line, dtype_name(line["dtype"]))
    if fill is None:
        kind = DTYPES[dtype_name(line["dtype"])][0]
        fill = "" if kind == "string" else [0, 0] if kind == "complex" else 0
    maps = [walk(*axis, line["mode"], frame) for axis in zip(line["shape"], low, high, interior)]
    out = []
    for place in itertools.product(*maps):
        index = 0
        for source, d in zip(place, line["shape"]):
            index = None if index is None or source is None else index * d + source
        out.append(fill if index is None else line["data"][index])
    return {"shape": [len(m) for m in maps], "data": out}


def values(line, found, what, dtype, problems):
    """Reports elements that `encode` would write differently."""
    kind, bits, _ = DTYPES[dtype]
    try:
        again = encode(decode(found, dtype))
    except Exception as error:
        problems.append(f"{line['id']}: {what} does not parse: {error}")
        return
    if again != list(found):
        problems.append(f"{line['id']}: {what} starts with {found[:4]}, but `encode` writes {again[:4]}")


def check_line(line, text, described, problems):
    name = line.get("id", "?")

    def need(condition, why):
        if not condition:
            problems.append(f"{name}: {why}")

    need(REQUIRED <= set(line) <= set(ORDER), f"fields {sorted(line)}")
    need(list(line) == [key for key in ORDER if key in line], "order of the fields")
    need(not re.search(r"/(tmp|home|root|work)/", text), "a path of some machine")
    dialect, dtype = line["dialect"], dtype_name(line["dtype"])
    need(dialect in rules.DIALECTS and dtype in DTYPES, "dialect or type")
    need(line["dtype"] in DTYPES or line["dtype"] in ALIASES, "type name")
    need(("version" in line) == (dialect in VERSIONS) and line.get("version") in VERSIONS.get(dialect, {None}), "version")
    need(line.get("flavour") in FLAVOURS.get(dialect, {None}), "flavour")
    need(("frame" in line) == (dialect == "core"), "frame")
    need("npad" not in line or dialect in ("torch", "coreml"), "npad")
    need(set(line.get("args", {})) <= ARGS.get(dialect, set()), "args")
    for key in ("low", "high", "interior", "axes", "shape"):
        need(all(type(x) is int for x in line.get(key, [])), f"{key} are integers")
    count = 1
    for d in line["shape"]:
        count *= d
    need(len(line["data"]) == count, "as many data as the shape says")
    values(line, line["data"], "data", dtype, problems)
    if dialect in ("opencv", "scipy", "webnn") and "value" in line:
        given = line["value"] if isinstance(line["value"], list) else [line["value"]]
        need(all(isinstance(v, (int, float)) or set(v) == {"bits"} for v in given), "value is a double")
    elif "value" in line and not (dialect == "onnx" and line["version"] < 11):
        values(line, [line["value"]], "value", dtype, problems)
    for who, answer in [("expect", line["expect"]), *line.get("answers", {}).items()]:
        if answer == {"error": True}:
            continue
        need(set(answer) == {"shape", "data"}, f"{who}: shape and data, or error")
        count = 1
        for d in answer["shape"]:
            count *= d
        need(len(answer["data"]) == count and all(d >= 0 for d in answer["shape"]), f"{who}: as many data as the shape says")
        values(line, answer["data"], who, dtype, problems)
    need(set(line.get("answers", {})) <= ENGINES, "engine")
    need("answers" not in line or any(a != line["expect"] for a in line["answers"].values()) or rules.NO_ANSWER & set(line.get("flags", []))
         or "DocExampleInvalid" in line.get("flags", []), "answers, but no disagreement")
    need("answers" not in line or line.get("flags"), "a disagreement without a flag")
    for flag in line.get("flags", []):
        need(flag in described, f"flag {flag} is not in README.md")
    need(line["expect"] == rules.expect(line), "expect differs from the rules")
    if "error" not in line["expect"]:
        need(line["expect"] == by_walking(line), "expect differs from the walk")


def main():
    problems, ids, cases, counts = [], set(), set(), collections.defaultdict(collections.Counter)
    with open(os.path.join(VECTORS, "README.md"), encoding="utf-8") as readme:
        described = set(re.findall(r"^\| `(\w+)`(?: †)? \|", readme.read().split("\n## Flags\n")[1], re.MULTILINE))
    total = 0
    for path in sorted(glob.glob(os.path.join(VECTORS, "*.jsonl"))):
        stem = os.path.basename(path)[:-6]
        if os.path.getsize(path) >= 1_000_000:
            problems.append(f"{stem}: too big")
        with open(path, encoding="utf-8") as file:
            for text in file:
                line = json.loads(text)
                total += 1
                if line["id"] in ids or not line["id"].startswith(stem + "/"):
                    problems.append(f"{line['id']}: not a unique id of {stem}")
                ids.add(line["id"])
                cases.add(json.dumps({k: v for k, v in line.items() if k not in ("id", "expect", "source", "answers", "flags")}, sort_keys=True))
                check_line(line, text, described, problems)
                counts["file"][stem] += 1
                counts["source"][line["source"] if stem != "disagreements" else "(several)"] += 1
                counts["dialect"]["{} {} {}".format(line["dialect"], line.get("version", ""), line.get("flavour", "")).strip()] += 1
                counts["type"][dtype_name(line["dtype"])] += 1
                counts["rank"][len(line["shape"])] += 1
                counts["expect"]["error" if "error" in line["expect"] else "output"] += 1
                counts["answers"]["other answers" if "answers" in line else "agree"] += 1
                for flag in line.get("flags", []):
                    counts["flag"][flag] += 1
    for flag in sorted(described - set(counts["flag"])):
        problems.append(f"README.md describes {flag}, which no case carries")
    for title, counter in counts.items():
        print(f"{title}: " + ", ".join(f"{key} {n}" for key, n in sorted(counter.items(), key=lambda item: str(item[0]))))
    print(f"{total} cases, {len(cases)} distinct, {len(problems)} problems")
    for problem in problems[:40]:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
