"""Records cases on which engines disagree in disagreements.jsonl, with the answers of several engines for each case.

The engines run in their own processes. Each engine that has the mode gets the case, translated to its dialect. The field `expect`
follows the rules for the dialect of the case. The dialect is `core` if the case belongs to no framework.
"""

import json
import subprocess
import sys

import numpy as np

from common import ERROR, HERE, ORDER, case, write_lines
import rules

SCRIPTS = {
    "numpy": ("with_numpy.py",), "onnx": ("with_onnx.py",), "onnx-shape-inference": ("with_onnx.py", "onnx-shape-inference"),
    "onnxruntime": ("with_onnxruntime.py",), "openvino": ("with_openvino.py",), "openvino-cpu": ("with_openvino.py", "openvino-cpu"),
    "openvino-cpu-dynamic": ("with_openvino.py", "openvino-cpu-dynamic"), "xla": ("with_jax.py",), "torch": ("with_torch.py", "torch-steady"),
    "tensorflow": ("with_tensorflow.py",), "tensorflow-raw": ("with_tensorflow.py", "tensorflow-raw"), "ngraph": ("with_ngraph.py",),
}
MODES = {"numpy": rules.FIVE, "onnx": ("constant", "edge", "reflect", "wrap"), "onnxruntime": ("constant", "edge", "reflect", "wrap"),
         "openvino": rules.FIVE[:4], "xla": ("constant",), "torch": ("constant", "edge", "reflect", "wrap"),
         "tensorflow": ("constant", "reflect", "symmetric"), "ngraph": rules.FIVE[:4]}
DIALECT = {"onnx-shape-inference": "onnx", "onnxruntime": "onnx", "openvino-cpu": "openvino", "openvino-cpu-dynamic": "openvino",
           "tensorflow-raw": "tensorflow"}
running = {}


def ask(engine, one):
    """Returns the answer of an engine, or None if the engine crashes or has no repeatable answer."""
    if engine not in running or running[engine].poll() is not None:
        script, *variant = SCRIPTS[engine]
        running[engine] = subprocess.Popen([sys.executable, f"{HERE}/{script}", "--answer", *variant], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    process = running[engine]
    process.stdin.write(json.dumps(one) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    return json.loads(line) if line else None


def pose(engine, question):
    """Returns the case in the dialect of the engine, or None if the engine cannot express it."""
    dialect = DIALECT.get(engine, engine)
    if question["dialect"] == dialect and engine != "onnxruntime":
        return question
    base = MODES.get(engine) or MODES[dialect]
    if question["mode"] not in base or question.get("axes") is not None and dialect != "onnx":
        return None
    one = {key: question[key] for key in ("dtype", "shape", "data", "low", "high", "mode", "value") if key in question}
    one["dialect"] = dialect
    filled = question["mode"] == "constant"
    if not filled:
        one.pop("value", None)
    if dialect == "onnx":
        one.update(version=question.get("version", 25) if question["dialect"] == "onnx" else 25,
                   flavour="onnxruntime" if engine == "onnxruntime" else "spec",
                   **{key: question[key] for key in ("axes", "args") if key in question})
    if dialect == "openvino":
        one["version"] = 12
    if dialect in ("xla", "ngraph"):
        if dialect == "ngraph":
            one["version"] = "v0"
        if question.get("interior"):
            one["interior"] = question["interior"]
        one.setdefault("value", 0)
    if dialect == "torch":
        rank = len(one["shape"])
        one["npad"] = rank if filled else max(1, rank - 1)
    return one


def record():
    lines, versions = [], {}
    for name, (script, *_) in SCRIPTS.items():
        if name not in DIALECT or name == "onnxruntime":
            code = f"import sys; sys.path.insert(0, {HERE!r}); import {script[:-3]} as m; print('SOURCE', m.SOURCE)"
            out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
            versions[name] = [text for text in out.splitlines() if text.startswith("SOURCE ")][-1][7:]

    def add(name, one, engines, flags=(), said=None):
        """Adds a case, unless all engines give the right answer.

        `said` has results that are printed in specifications.
        """
        answers, silent = {}, False
        for engine in engines:
            put = pose(engine, one)
            if put is None:
                continue
            answer = ask(engine, put)
            if answer is None:
                silent = True
            else:
                answers[engine] = answer
        answers.update(said or {})
        if not silent and not said and all(a == rules.expect(one) for a in answers.values()):
            print(f"{name}: no disagreement", file=sys.stderr)
            return
        sources = []
        for engine in answers:
            stem = {"openvino-cpu": "openvino", "openvino-cpu-dynamic": "openvino", "tensorflow-raw": "tensorflow", "onnx-shape-inference": "onnx"}.get(engine, engine)
            if stem in versions and versions[stem] not in sources:
                sources.append(versions[stem])
        flags = list(flags) + [f for f in rules.classes(one) if f not in flags]
        line = {"id": f"disagreements/{name}", **one, "expect": rules.expect(one), "source": "; ".join(sources) or "documents"}
        if answers:
            line["answers"] = answers
        if flags:
            line["flags"] = flags
        lines.append({key: line[key] for key in ORDER if key in line})
        shown = {e: "error" if a == ERROR else a["data"] for e, a in answers.items()}
        print(f"{name}: ours {line['expect'].get('data', 'error')} {shown}", file=sys.stderr)

    every = ["numpy", "onnx", "onnxruntime", "openvino", "xla", "torch", "tensorflow", "ngraph"]

    def core(frame, dtype, shape, low, high, mode="constant", **rest):
        return case("core", dtype, shape, low, high, mode, frame=frame, **rest)

    def onnx(version, dtype, shape, low, high, mode="constant", **rest):
        return case("onnx", dtype, shape, low, high, mode, version=version, flavour="spec", **rest)

    six = [1, 2, 3, 4, 5, 6]
    # One side is cropped. These calls show which elements a border reads.
    for mode, pairs in {"constant": [(-2, 3), (-7, 3), (-3, -3), (-4, -3), (2, -7)],
                        "edge": [(-2, 3), (-6, 3), (-7, 3), (-3, -3), (-4, -3)],
                        "reflect": [(-2, 3), (-2, 5), (5, -2), (-6, 3), (-7, 3), (-3, -3), (-4, -3), (6, 0), (7, 0)],
                        "symmetric": [(-2, 3), (-2, 5), (5, -2), (-7, 3), (7, 0), (0, 2)],
                        "wrap": [(-2, 3), (3, -2), (-2, 5), (-7, 3), (-3, -3), (7, 0), (-6, 3)]}.items():
        for lo, hi in pairs:
            flags = (["NegativeShape"] if lo + hi < -6 else []) + (["CropToEmpty"] if lo + hi == -6 else [])
            flags += ["SymmetricAbove"] if mode == "symmetric" else ["UnwrittenMemory"] if (mode, lo, hi) == ("wrap", -6, 3) else []
            frames = ["cropped"] if mode == "wrap" else ["uncropped", "cropped"] if (lo, hi) == (-2, 5) else ["uncropped"]
            for frame in frames:
                add(f"border-{mode}-{lo}-{hi}-{frame}", core(frame, "int32", [1, 6], [0, lo], [0, hi], mode, data=six,
                                                             value=9 if mode == "constant" else None), every, flags)
    # Axes of length 1, empty axes, rank 0.
    for mode in ["edge", "reflect", "symmetric", "wrap"]:
        add(f"singleton-{mode}", core("uncropped", "int32", [1, 1], [0, 1], [0, 1], mode, data=[5]), every,
            {"reflect": ["UncheckedAxis"], "symmetric": ["SymmetricAbove"]}.get(mode, []))
        add(f"empty-{mode}", core("uncropped", "int32", [1, 0], [0, 1], [0, 1], mode), every, ["EmptyAxis", "UncheckedAxis"])
        add(f"empty-other-{mode}", core("uncropped", "int32", [0, 3], [0, 1], [0, 1], mode), every, ["EmptyAxis"])
        add(f"empty-unpadded-{mode}", core("uncropped", "int32", [0, 3], [0, 0], [0, 0], mode), every, ["EmptyAxis"])
    add("rank-0", core("uncropped", "int32", [], [], [], data=[5], value=9),
        [engine for engine in every if engine != "openvino"], ["RankZero", "UnwrittenMemory"])
    # Long borders. Older releases of some engines got them wrong, and other engines still refuse them.
    for mode, data, lo, hi in [("wrap", [1, 2], 1, 3), ("wrap", [0, 1, 2, 3], 5, 2), ("reflect", [1, 2, 3], 1, 8), ("symmetric", [1, 2], 1, 8),
                               ("reflect", [1, 2, 3], 3, 0), ("reflect", [1, 2, 3], 3, 3), ("wrap", [1, 2, 3], 4, 4)]:
        add(f"long-{mode}-{len(data)}-{lo}-{hi}", core("uncropped", "int32", [1, len(data)], [0, lo], [0, hi], mode, data=data), every,
            ["SymmetricAbove"] if mode == "symmetric" else [])

    # nGraph: mode SYMMETRIC, and axes whose length it does not check.
    ngraph = lambda version, shape, low, high, mode="constant", **rest: case("ngraph", "int32", shape, low, high, mode, version=version, value=42, **rest)
    for data, lo, hi in [([1, 2, 3], 0, 1), ([1, 2, 3, 4, 5], 0, 2), ([1, 2, 3], 1, 2), ([1, 2, 3], 0, 3)]:
        add(f"ngraph-symmetric-{len(data)}-{lo}-{hi}", ngraph("v0", [len(data)], [lo], [hi], "symmetric", data=data),
            ["ngraph", "openvino", "numpy", "tensorflow"], ["SymmetricAbove"])
    add("ngraph-reflect-one", ngraph("v0", [1], [1], [1], "reflect", data=[5]), ["ngraph", "openvino", "numpy"], ["UncheckedAxis"])
    add("ngraph-edge-none", ngraph("v0", [0], [1], [1], "edge"), ["ngraph", "openvino", "numpy"], ["UncheckedAxis"])
    for version in ("v0", "v1"):
        add(f"ngraph-negative-shape-{version}", ngraph(version, [6], [-4], [-3], data=six), ["ngraph", "openvino", "xla"], ["NegativeShape"])

    # ONNX: its specification, reference evaluator and shape inference, and onnxruntime.
    rows = [float(np.float32(x)) for x in (1.0, 1.2, 2.3, 3.4, 4.5, 5.7)]
    printed = {"shape": [3, 4], "data": [0, 0, *rows[:2], 0, 0, *rows[2:4], 0, 0, *rows[4:]]}
    add("onnx-pad-1-example", onnx(1, "float32", [3, 2], [0, 0], [2, 0], data=rows), ["onnx"], ["DocExampleInvalid"], {"onnx-text": printed})
    reflected = {"shape": [3, 4], "data": [*rows[:2], *rows[:2], *rows[2:4], *rows[2:4], *rows[4:], *rows[4:]]}
    add("onnx-reflect-example", onnx(18, "float32", [3, 2], [0, 2], [0, 0], "reflect", data=rows),
        ["onnx", "onnxruntime", "numpy", "openvino", "torch", "tensorflow", "ngraph"], ["DocExampleInvalid"], {"onnx-text": reflected})
    add("onnx-remove-if-negative", onnx(25, "int32", [6], [-2], [3], data=six), every, ["NegativeRefused"])
    add("onnx-reflect-after-crop", onnx(25, "int32", [1, 6], [0, -2], [0, 5], "reflect", data=six), every, ["NegativeRefused"])
    add("onnx-crop-beyond", onnx(25, "int32", [6], [-7], [3], data=six, value=9), every, ["NegativeRefused"])
    add("onnx-negative-shape", onnx(25, "int32", [6], [-4], [-3], data=six), every, ["NegativeShape"])
    three = ["onnx", "onnx-shape-inference", "onnxruntime"]
    add("onnx-axes-repeated", onnx(18, "int32", [2, 3], [1, 2], [0, 0], data=six, axes=[1, 1]), three, ["AxesRepeated"])
    add("onnx-axes-out-of-range", onnx(18, "int32", [2, 3], [1], [1], data=six, axes=[-3]), three, ["AxesOutOfRange"])
    add("onnx-axes-int32", onnx(18, "int32", [2, 3], [1], [2], data=six, axes=[1], args={"axes_dtype": "int32"}), three, ["AxesInt32"])
    add("onnx-string-default", onnx(13, "string", [3], [1], [1], data=["a", "b", "c"]), ["onnx", "onnxruntime", "numpy", "openvino", "tensorflow"], ["DefaultOfString"])
    add("onnx-e8m0-default", onnx(24, "float8e8m0", [2], [1], [1]), ["onnx", "onnxruntime", "numpy", "openvino", "torch"], ["DefaultOfE8M0"])
    add("onnx-wrap-before-19", onnx(11, "int32", [3], [1], [2], "wrap", data=[1, 2, 3]), ["onnx", "onnxruntime"], ["ModeOutsideVersion"])
    add("onnx-wrap-at-2", onnx(2, "float32", [3], [1], [2], "wrap", data=[1, 2, 3]), ["onnx", "onnxruntime"], ["ModeOutsideVersion"])
    add("onnx-symmetric", onnx(19, "int32", [3], [1], [2], "symmetric", data=[1, 2, 3]), ["onnx", "onnxruntime"], ["ModeOutsideVersion"])
    add("onnx-attribute-f32", onnx(2, "float64", [2], [1], [1], data=[1, 2], value=0.1), ["onnx", "onnxruntime", "numpy", "xla", "openvino"], ["AttributeF32"])
    add("onnx-value-of-two", onnx(25, "int32", [2], [1], [1], data=[1, 2], value=3, args={"value_shape": [2]}), ["onnx", "onnxruntime"], ["ValueShape"])
    add("onnx-value-of-one", onnx(25, "int32", [2], [1], [1], data=[1, 2], value=3, args={"value_shape": [1]}), ["onnx", "onnxruntime"], ["ValueShape"])

    # OpenVINO: its specification, reference path and CPU plugin.
    ov = lambda version, dtype, shape, low, high, mode="constant", **rest: case("openvino", dtype, shape, low, high, mode, version=version, **rest)
    paths = ["openvino", "openvino-cpu"]
    add("openvino-impossible-size", ov(12, "int32", [6], [-3], [-4], data=six), paths + ["openvino-cpu-dynamic"], ["ClampedSize", "NegativeShape"],
        {"openvino-text": {"shape": [0], "data": []}})
    add("openvino-pad-1-negative", ov(1, "int32", [6], [-2], [3], "reflect", data=six), paths, ["Pad1Negative"])
    for mode in ["edge", "reflect", "symmetric", "constant"]:
        add(f"openvino-crop-beyond-{mode}", ov(12, "int32", [1, 6], [0, -7], [0, 3], mode, data=six), ["openvino", "onnxruntime", "torch", "xla", "ngraph"],
            ["UnwrittenMemory"] + (["SymmetricAbove"] if mode == "symmetric" else []))
    for dtype, value in [("int32", 2**24 + 1), ("uint32", 2**31 + 7), ("int64", 2**53 + 1), ("float64", 0.1), ("float32", {"bits": "0x80000000"})]:
        flags = ["NegativeZeroFill"] if dtype == "float32" else []
        add(f"fill-{dtype}", ov(12, dtype, [2], [1], [1], data=[1, 2], value=value),
            paths + ["onnxruntime", "numpy", "xla", "torch", "tensorflow", "tensorflow-raw"], flags)
    add("openvino-cpu-int64-data", ov(12, "int64", [2], [1], [1], data=[2**40 + 1, 2]), paths, ["ConstantThroughF32"])
    add("openvino-cpu-float64-data", ov(12, "float64", [2], [1], [1], data=[1.1, 2]), paths, ["ConstantThroughF32"])
    add("openvino-packed", ov(12, "uint4", [4], [1], [0], data=[1, 2, 3, 4], value=0), ["openvino-cpu", "numpy", "onnx", "xla"], ["UnwrittenMemory"])

    # torch.
    for shape, lo, hi in [([1, 6], -6, 3), ([1, 6], -2, 5), ([1, 2, 6], -2, 5)]:
        rank, count = len(shape), 6 * (len(shape) - 1)
        one = case("torch", "float32", shape, [0] * (rank - 1) + [lo], [0] * (rank - 1) + [hi], "wrap", npad=1, data=range(1, count + 1))
        add(f"torch-circular-{rank}-{lo}-{hi}", one, ["torch", "onnxruntime"], ["UnwrittenMemory"])
    add("torch-fill-through-double", case("torch", "int64", [2], [1], [1], data=[1, 2], value=2**53 + 1), ["torch", "onnxruntime", "numpy", "xla", "openvino", "tensorflow"])

    # TensorFlow.
    add("tensorflow-paddings-truncated", case("tensorflow", "float32", [2], [2**62 + 1], [0], data=[1, 2], args={"paddings": "numpy int64"}),
        ["tensorflow", "numpy"], ["WidthTruncated"])
    for process in running.values():
        process.stdin.close()
    write_lines("disagreements", lines)


if __name__ == "__main__":
    record()
