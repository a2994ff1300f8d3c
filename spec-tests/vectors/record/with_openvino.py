"""Records answers of OpenVINO in openvino.jsonl. Answers to Pad-1 with negative pads go to openvino_engine.jsonl.

The engine `openvino` is the reference path (Model.evaluate). `openvino-cpu` is the CPU plugin with a fixed input shape, and
`openvino-cpu-dynamic` is the CPU plugin with a dynamic one. For some inputs, the plugin writes outside its buffers, so each case
runs in its own process.
"""

import numpy as np
import openvino as ov
from openvino import opset1, opset12

from common import (ERROR, SHORT, SIGNED, UNSIGNED_STYLES, Recorder, ask_in_a_process, case, data_of, decode_scalar,
                    draw_pads, draw_shape, dtype_name, encode, main, paint_fill, quota, seeded)
from elements import DTYPES

VERSION = ov.__version__.split("-")[0]
SOURCE = f"openvino {VERSION} (Model.evaluate)"
SOURCE_CPU = f"openvino {VERSION} (CPU plugin)"
ELEMENT = {
    "bool": ov.Type.boolean, "string": ov.Type.string, "bfloat16": ov.Type.bf16, "float16": ov.Type.f16,
    "float32": ov.Type.f32, "float64": ov.Type.f64, "float8e4m3fn": ov.Type.f8e4m3, "float8e5m2": ov.Type.f8e5m2,
    "float8e8m0": ov.Type.f8e8m0, "float4e2m1": ov.Type.f4e2m1, "uint2": ov.Type.u2, "uint4": ov.Type.u4, "int4": ov.Type.i4,
    **{f"{s}int{n}": getattr(ov.Type, f"{s[:1] or 'i'}{n}") for s in ("", "u") for n in (8, 16, 32, 64)},
}
WHOLE = [t for t in ELEMENT if DTYPES[t][1] >= 8]
PACKED = ["uint4", "int4"]


def tensor_of(array, name):
    """Returns an OpenVINO tensor with the bits of a numpy array. The first element of a byte has its lowest bits."""
    kind, bits, _ = DTYPES[name]
    if kind == "string":
        return ov.Tensor(array.astype("U12"))
    tensor = ov.Tensor(ELEMENT[name], ov.Shape(list(array.shape)))
    raw = np.frombuffer(np.ascontiguousarray(array).tobytes(), dtype=np.uint8)
    if bits < 8:
        per = 8 // bits
        raw = np.concatenate([raw & ((1 << bits) - 1), np.zeros(-raw.size % per, np.uint8)]).reshape(-1, per)
        raw = sum(raw[:, i] << (bits * i) for i in range(per)).astype(np.uint8)
    if raw.size:
        tensor.data.reshape(-1).view(np.uint8)[:] = raw
    return tensor


def array_of(tensor, name):
    kind, bits, np_type = DTYPES[name]
    shape = tuple(tensor.shape)
    if kind == "string":
        return np.array(tensor.str_data).reshape(shape)
    count = int(np.prod(shape))
    raw = np.ascontiguousarray(tensor.data).reshape(-1).view(np.uint8)
    if bits < 8:
        per = 8 // bits
        raw = np.stack([(raw >> (bits * i)) & ((1 << bits) - 1) for i in range(per)], 1).reshape(-1)[:count]
        if kind == "int" and name.startswith("i"):
            raw = (raw.astype(np.int8) ^ (1 << (bits - 1))) - (1 << (bits - 1))
            return raw.astype(np.int8).astype(np_type).reshape(shape)
        return raw.astype(np.uint8).astype(np_type).reshape(shape) if kind == "int" else raw.view(np_type).reshape(shape)
    return np.frombuffer(raw.tobytes(), dtype=np_type).reshape(shape)


def build(one, dynamic):
    name = dtype_name(one["dtype"])
    shape = one["shape"]
    data = ov.op.Parameter(ELEMENT[name], ov.PartialShape([-1] * len(shape) if dynamic else shape))
    sides = [ov.op.Constant(ov.Tensor(np.array(side, dtype=np.int64))) for side in (one["low"], one["high"])]
    value = []
    if "value" in one:
        value = [ov.op.Constant(tensor_of(decode_scalar(one["value"], name), name))]
    opset = opset1 if one["version"] == 1 else opset12
    node = opset.pad(data, *sides, one["mode"], *value)
    return ov.Model([node], [data], "pad")


def run(one, engine="openvino"):
    name = dtype_name(one["dtype"])
    try:
        model = build(one, engine == "openvino-cpu-dynamic")
        data = tensor_of(data_of(one), name)
        if engine == "openvino":
            result = ov.Tensor(ELEMENT[name], ov.Shape([0]))
            if not model.evaluate([result], [data]):
                return dict(ERROR)
        else:
            request = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
            request.infer([data])
            result = request.get_output_tensor(0)
        array = array_of(result, name)
        return {"shape": list(array.shape), "data": encode(array)}
    except (RuntimeError, ValueError, TypeError, MemoryError):
        return dict(ERROR)


def on_cpu(engine):
    return lambda one: ask_in_a_process("with_openvino.py", one, [engine])


def explain(one, ours, theirs):
    if one["version"] == 1 and any(p < 0 for p in one["low"] + one["high"]):
        return ["Pad1Negative"]
    if dtype_name(one["dtype"]) == "float8e8m0" and "value" not in one:
        return ["DefaultOfE8M0"]
    return None


def explain_cpu(one, ours, theirs):
    """Returns the flags of a difference. The plugin converts the fill to float32, and drops the sign of a zero."""
    kind, bits, _ = DTYPES[dtype_name(one["dtype"])]
    if isinstance(one.get("value"), dict) and int(one["value"]["bits"], 16) == 1 << (bits - 1):
        return ["NegativeZeroFill"]
    if kind in ("int", "float") and bits >= 32 and theirs != ERROR:
        return ["ConstantThroughF32"]
    return explain(one, ours, theirs)


def make(rng, i):
    version = [1, 12, 12][i % 3]
    mode = ["constant", "edge", "reflect", "symmetric"][(i // 3) % 4]
    dtype = "string" if version == 12 and mode == "constant" and i % 24 == 13 else WHOLE[(i // 2) % len(WHOLE)]
    if dtype == "string" and (version, mode) != (12, "constant"):
        dtype = "int32"
    rank = rng.choice([1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8])
    shape = draw_shape(rng, rank, zero=0.04)
    styles = UNSIGNED_STYLES if version == 1 else SIGNED
    if mode in ("reflect", "symmetric"):
        styles = [s for s in styles if s not in ("long", "periods")] + ["long"]
    low, high, _ = draw_pads(rng, shape, styles if rank < 4 else [s for s in styles if s not in ("long", "periods")] + SHORT)
    value = paint_fill(dtype, rng) if mode == "constant" and (rng.random() < 0.7 or dtype == "float8e8m0") else None
    return case("openvino", dtype, shape, low, high, mode, version=version, value=value)


def record():
    rec = Recorder("openvino", "openvino", SOURCE, run, explain)
    modes = ["constant", "edge", "reflect", "symmetric"]
    rows = list(range(1, 13))

    def c(dtype, shape, low, high, mode="constant", version=12, **rest):
        return case("openvino", dtype, shape, low, high, mode, version=version, **rest)

    # Examples of the specification.
    for mode in modes:
        for version in (1, 12):
            rec.add(f"doc-{version}-{mode}", c("int32", [3, 4], [0, 1], [2, 3], mode, version, data=rows))
        rec.add(f"doc-12-negative-{mode}", c("int32", [3, 4], [2, -1], [-1, 3], mode, data=rows))
    rec.add("doc-layer", c("float32", [1, 3, 2, 2], [0, 5, 2, 1], [1, 0, 3, 7], version=1, value=15, plain=True,))

    # Negative pads. Borders read the whole axis.
    for mode in modes:
        for lo, hi in [(-2, 3), (3, -2), (-2, 5), (5, -2), (-2, 6), (6, -3), (-2, 0), (-3, -3), (-6, 0), (-6, 3), (-7, 3), (2, -7),
                       (5, -11), (-11, 5), (-3, -4), (-2, -5), (-5, 4)]:
            rec.add(f"signed-{mode}-{lo}-{hi}", c("int64", [6], [lo], [hi], mode, data=[1, 2, 3, 4, 5, 6],
                                                  value=9 if mode == "constant" else None),
                    ["NegativeShape"] if lo + hi < -6 else [])
        rec.add(f"signed-{mode}-two-axes", c("float32", [3, 4], [-1, 1], [1, -1], mode))
        rec.add(f"signed-{mode}-crop-other", c("float32", [3, 4], [-3, 1], [0, 1], mode))
        rec.add(f"pad-1-negative-{mode}", c("int32", [6], [-2], [3], mode, 1, data=[1, 2, 3, 4, 5, 6]))
    rec.add("pad-1-negative-high", c("int32", [6], [0], [-2], "constant", 1, data=[1, 2, 3, 4, 5, 6]))

    # Borders of the maximal length and longer, axes of length 1, empty axes.
    for mode in modes[1:]:
        for d, lo, hi in [(1, 0, 0), (1, 1, 0), (1, 1, 1), (1, 0, 2), (2, 1, 1), (2, 2, 0), (2, 2, 2), (2, 0, 3), (3, 2, 2), (3, 3, 3),
                          (3, 4, 0), (5, 0, 9), (6, 5, 6)]:
            for version in (1, 12):
                rec.add(f"limit-{version}-{mode}-{d}-{lo}-{hi}", c("float32", [d], [lo], [hi], mode, version))
    for mode in modes:
        for n, (shape, low, high) in enumerate([([0], [0], [0]), ([0], [1], [2]), ([0, 3], [0, 1], [0, 1]), ([0, 3], [1, 0], [0, 0]),
                                                ([3, 0], [1, 0], [1, 0]), ([0], [-1], [1]), ([0], [-1], [3]), ([0, 3], [0, -3], [0, 0]),
                                                ([2, 0], [-1, 0], [0, 0])]):
            rec.add(f"empty-{mode}-{n}", c("float32", shape, low, high, mode), ["EmptyAxis"])
    for version in (1, 12):
        rec.add(f"wrap-{version}", c("float32", [3], [1], [1], "wrap", version))
        rec.add(f"too-few-{version}", c("float32", [3, 2], [1], [1], "constant", version))
        rec.add(f"too-many-{version}", c("float32", [3], [1, 1], [1, 1], "constant", version))
        rec.add(f"value-with-edge-{version}", c("float32", [3], [1], [1], "edge", version, value=5))
        rec.add(f"value-with-reflect-{version}", c("int8", [3], [1], [1], "reflect", version, value=5))
    rec.add("too-large", c("float32", [2], [2**62], [0]))

    # Types.
    for dtype in WHOLE:
        value = {"bits": "0x80"} if dtype == "float8e8m0" else None
        rec.add(f"type-{dtype}", c(dtype, [3], [2], [1], value=value))
        for mode in modes[1:]:
            rec.add(f"type-{dtype}-{mode}", c(dtype, [4], [2], [3], mode))
    rec.add("type-string", c("string", [2, 2], [1, 0], [0, 1], value="fill"))
    rec.add("default-string", c("string", [2], [1], [1]))
    rec.add("default-float8e8m0", c("float8e8m0", [2], [1], [1]))
    for mode in modes[1:]:
        rec.add(f"string-{mode}", c("string", [3], [1], [1], mode))
    rec.add("string-pad-1", c("string", [3], [1], [1], "constant", 1), ["TypeOutsideVersion"])
    for n, (dtype, value) in enumerate([("int64", 2**24 + 1), ("int64", 2**53 + 1), ("uint64", 2**64 - 1), ("int32", 2**24 + 1),
                                        ("uint32", 2**31 + 7), ("float64", 0.1), ("float64", {"bits": "0x7ff8000000000123"}),
                                        ("float64", {"bits": "0x8000000000000000"}), ("float32", {"bits": "0x7fc01234"}),
                                        ("float32", {"bits": "0x7fa00001"}), ("float32", {"bits": "0x80000000"}),
                                        ("float16", {"bits": "0x8000"}), ("bfloat16", {"bits": "0x8000"}), ("bool", 1)]):
        rec.add(f"fill-{n}-{dtype}", c(dtype, [3], [1], [2], value=value))

    # Calls for which the CPU plugin stays inside its buffers, with several fills and packed types.
    cpu = {"engine": "openvino-cpu", "source": SOURCE_CPU, "run": on_cpu("openvino-cpu")}
    rec.explain = explain_cpu
    for dtype in ["float32", "int32", "int8", "uint8", "float16", "bfloat16", "bool"] + PACKED:
        for mode in modes:
            rec.add(f"cpu-{dtype}-{mode}", c(dtype, [2, 3], [1, 2], [1, 1] if mode != "reflect" else [0, 1], mode, plain=True), **cpu)
    for mode in modes:
        rec.add(f"cpu-negative-{mode}", c("float32", [3, 4], [2, -1], [-1, 3], mode, data=rows), **cpu)
        rec.add(f"cpu-long-{mode}", c("float32", [6], [-2], [5], mode, plain=True), **cpu)
        rec.add(f"cpu-refused-{mode}", c("float32", [2], [3], [0], mode, plain=True), **cpu)
    for n, (dtype, value) in enumerate([("int32", 2**24 + 1), ("uint32", 2**31 + 7), ("float64", 0.1), ("int64", 2**53 + 1),
                                        ("float32", {"bits": "0x80000000"}), ("float16", {"bits": "0x8000"})]):
        rec.add(f"cpu-fill-{n}-{dtype}", c(dtype, [2], [1], [1], value=value, plain=True), **cpu)
    rec.add("cpu-data-int64", c("int64", [3], [1], [0], data=[2**40 + 1, 5, 2**53 + 1]), **cpu)
    rec.add("cpu-data-float64", c("float64", [3], [1], [0], data=[1.1, 5, 0.1]), **cpu)

    # Dynamic shapes. With `clamp`, the right sizes are max(low + d + high, 0), as in the text of Pad-12. No path of OpenVINO
    # computes them.
    dynamic = {"engine": "openvino-cpu-dynamic", "source": SOURCE_CPU + ", dynamic shape", "run": on_cpu("openvino-cpu-dynamic")}
    rec.add("clamp", c("float32", [6], [-3], [-4], plain=True, args={"clamp": True}), ["ClampedSize"], **dynamic)
    rec.add("clamp-one-of-two", c("float32", [6, 2], [-3, 1], [-4, 0], plain=True, args={"clamp": True}), ["ClampedSize"], **dynamic)
    for name, one in [("reflect-6", c("float32", [6], [6], [0], "reflect", plain=True)),
                      ("reflect-1", c("float32", [1], [1], [1], "reflect", plain=True)),
                      ("symmetric-2", c("float32", [2], [3], [0], "symmetric", plain=True)),
                      ("edge-0", c("float32", [0], [1], [1], "edge", plain=True)),
                      ("reflect-0-3", c("float32", [0, 3], [0, 1], [0, 1], "reflect", plain=True))]:
        rec.add(f"dynamic-{name}", one, **dynamic)

    rec.explain = explain
    rng = seeded("openvino")
    for i, one in quota(rng, 260, 0.12, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


def record_engine():
    """Records Pad-1 with negative pads. The specification forbids them, but tests of OpenVINO use them."""
    rec = Recorder("openvino_engine", "openvino", SOURCE, run)

    def c(dtype, shape, low, high, mode, **rest):
        return case("openvino", dtype, shape, low, high, mode, version=1, flavour="engine", **rest)

    for mode in ["constant", "edge", "reflect", "symmetric"]:
        value = 9 if mode == "constant" else None
        for lo, hi in [(-2, 3), (3, -2), (-2, 5), (5, -2), (-2, 6), (6, -3), (-2, 0), (0, -2), (-1, -1), (-3, -3), (-6, 0), (-6, 3), (-7, 3), (2, -7),
                       (5, -11), (-11, 5), (-3, -4), (-2, -5), (-5, 4)]:
            rec.add(f"signed-{mode}-{lo}-{hi}", c("int64", [6], [lo], [hi], mode, data=[1, 2, 3, 4, 5, 6], value=value),
                    ["NegativeShape"] if lo + hi < -6 else [])
        for n, (shape, low, high) in enumerate([([3, 4], [-1, 1], [1, -1]), ([3, 4], [2, -1], [-1, 3]), ([3, 4], [-3, 1], [0, 1]), ([2, 3, 4], [0, -1, 2], [1, 2, -3]),
                                                ([1, 2, 3, 4], [0, 0, -1, -1], [0, 0, 2, -1])]):
            rec.add(f"axes-{mode}-{n}", c("float32", shape, low, high, mode, plain=True, value=value))
        for dtype in [t for t in WHOLE if t not in ("string", "float8e8m0")]:
            rec.add(f"type-{dtype}-{mode}", c(dtype, [5], [-1], [2], mode))
    rng = seeded("openvino engine")

    def signed(rng, i):
        one = make(rng, 3 * i + 1)
        if one["dtype"] == "string":
            one = make(rng, 3 * i + 2)
        one.update(version=1, flavour="engine")
        return one

    for i, one in quota(rng, 100, 0.12, signed):
        rec.add(f"draw-{i:03}", one)
    rec.write()


def record_both():
    record()
    record_engine()


if __name__ == "__main__":
    main(run, record_both, {name: (lambda one, name=name: run(one, name)) for name in ("openvino-cpu", "openvino-cpu-dynamic")})
