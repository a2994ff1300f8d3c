"""Builds ONNX models with one node, and lists the cases that with_onnx.py and with_onnxruntime.py record."""

import numpy as np
import onnx
from onnx import TensorProto, helper

from common import (SHORT, SIGNED, UNSIGNED_STYLES, case, data_of, decode, draw_pads, draw_shape, dtype_name,
                    paint_fill)
from elements import f32_attribute
from rules import ONNX_TYPES, by_version

OPSETS = [1, 2, 11, 13, 18, 19, 21, 23, 24, 25]
ELEMENT = {
    "bool": TensorProto.BOOL, "string": TensorProto.STRING, "bfloat16": TensorProto.BFLOAT16,
    "float16": TensorProto.FLOAT16, "float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE,
    "complex64": TensorProto.COMPLEX64, "complex128": TensorProto.COMPLEX128,
    "float8e4m3fn": TensorProto.FLOAT8E4M3FN, "float8e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ,
    "float8e5m2": TensorProto.FLOAT8E5M2, "float8e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ,
    "float8e8m0": TensorProto.FLOAT8E8M0, "float4e2m1": TensorProto.FLOAT4E2M1,
    **{name: getattr(TensorProto, name.upper()) for name in
       ["int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]},
}


def build(one, ir_version=13):
    """Returns the model of a case, and a dict of its inputs.

    `pads`, `value` and `axes` are inputs of the graph, so an engine cannot fold them as constants. If the mode is `constant` and
    there is no value, the model uses the default mode.
    """
    version, dtype, args = one["version"], dtype_name(one["dtype"]), one.get("args", {})
    inputs, feeds, attributes = ["data"], {"data": data_of(one)}, {}
    types = [("data", ELEMENT[dtype], one["shape"])]
    if one["mode"] != "constant" or "value" in one:
        attributes["mode"] = one["mode"]
    pads = one["low"] + one["high"]
    if version < 11:
        attributes["paddings" if version == 1 else "pads"] = pads
        if "value" in one:
            attributes["value"] = float(f32_attribute(one["value"]))
        if "axes" in one:                         # this opset has no such input, so the model is wrong
            inputs += ["pads", "", "axes"]
    else:
        inputs.append("pads")
    if "pads" in inputs:
        feeds["pads"] = np.array(pads, dtype=np.int64).reshape(args.get("pads_shape", [len(pads)]))
        types.append(("pads", TensorProto.INT64, list(feeds["pads"].shape)))
    if version >= 11 and "value" in one:
        shape = args.get("value_shape", [])
        inputs.append("value")
        feeds["value"] = decode([one["value"]] * int(np.prod(shape)), dtype, shape)
        types.append(("value", ELEMENT[dtype], shape))
    if version >= 11 and "axes" in one:
        inputs += ["axes"] if "value" in one else ["", "axes"]
    if "axes" in one:
        int32 = args.get("axes_dtype") == "int32"
        feeds["axes"] = np.array(one["axes"], dtype=np.int32 if int32 else np.int64)
        types.append(("axes", TensorProto.INT32 if int32 else TensorProto.INT64, [len(one["axes"])]))
    node = helper.make_node("Pad", inputs, ["out"])
    for name, value in attributes.items():
        node.attribute.append(helper.make_attribute(
            name, value, attr_type=onnx.AttributeProto.INTS if isinstance(value, list) else None))
    result = helper.make_tensor_value_info("out", ELEMENT[dtype], [f"o{i}" for i in range(len(one["shape"]))])
    graph = helper.make_graph([node], "pad", [helper.make_tensor_value_info(*t) for t in types], [result])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=ir_version), feeds


def make(flavour, versions, signed):
    """Returns a function for `quota` that draws random cases."""
    def draw(rng, i):
        version = versions[i % len(versions)]
        types = by_version(ONNX_TYPES, version)
        dtype = types[(i // len(versions)) % len(types)] if flavour != "onnxruntime" else rng.choice(
            ["float32", "float64"] if version < 11 else
            ["float32", "float64", "int32", "int64", "uint32", "uint64", "int8", "uint8"]
            + (["bool"] if version >= 13 else []))
        modes = ["constant", "edge", "reflect"] + (["wrap"] if version >= 19 else [])
        mode = rng.choice(modes)
        rank = rng.choice([1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8])
        shape = draw_shape(rng, rank)
        styles = SIGNED if rng.random() < signed and version > 1 else UNSIGNED_STYLES
        low, high, _ = draw_pads(rng, shape, styles if rank < 4 else [s for s in styles if s not in ("long", "periods")] + SHORT)
        value = None
        if mode == "constant" and (rng.random() < 0.6 or dtype == "float8e8m0"):
            value = paint_fill("float32" if version < 11 else dtype, rng)
        axes = None
        if version >= 18 and rng.random() < 0.5:
            axes = [a for a in range(rank) if rng.random() < 0.7]
            rng.shuffle(axes)
            low, high = [low[a] for a in axes], [high[a] for a in axes]
            axes = [a - rank if rng.random() < 0.5 else a for a in axes]
        return case("onnx", dtype, shape, low, high, mode, version=version, flavour=flavour, value=value, axes=axes)
    return draw


def ours_by_hand(add, flavour):
    """Adds the cases that are written by hand, with `add(name, case, flags)`."""
    def c(dtype, shape, low, high, mode="constant", version=25, **rest):
        return case("onnx", dtype, shape, low, high, mode, version=version, flavour=flavour, **rest)

    f, rows = "float32", [1, 1.2, 2.3, 3.4, 4.5, 5.7]
    rows = [float(np.float32(x)) for x in rows]
    # Examples of the specification.
    add("doc-pad-1", c(f, [3, 2], [0, 0], [2, 0], version=1, data=rows), [])
    add("doc-pad-2", c(f, [3, 2], [0, 2], [0, 0], version=2, data=rows), [])
    for version in OPSETS[2:]:
        for mode in ["constant", "reflect", "edge"] + (["wrap"] if version >= 19 else []):
            pads = ([2, 1], [1, 1]) if mode == "wrap" else ([0, 2], [0, 0])
            add(f"doc-{mode}-{version}", c(f, [3, 2], *pads, mode, version=version, data=rows,
                                           value=0 if mode == "constant" else None),
                ["DocExampleInvalid"] if mode == "reflect" else [])

    # Every opset with defaults, types of fills, types that it lists, and types that it does not list.
    for version in OPSETS:
        add(f"defaults-{version}", c("double", [2, 3], [1, 0], [0, 1], version=version), [])
        add(f"edge-{version}", c("float", [2, 3], [1, 2], [2, 1], "edge", version=version), [])
        add(f"reflect-{version}", c(f, [3, 4], [1, 2], [2, 1], "reflect", version=version), [])
        add(f"crop-{version}", c(f, [3, 4], [-1, 0], [0, -2], version=version, value=7), [])
        add(f"crop-and-pad-{version}", c(f, [6], [-2], [3], version=version, value=7), [])
        for dtype in ELEMENT:
            value = None
            if dtype == "float8e8m0":
                value = {"bits": "0x80"}
            listed = dtype in by_version(ONNX_TYPES, version)
            if listed and version in (1, 2, 11, 13, 21, 25) or not listed and (version in (2, 13, 24) or dtype in (
                    "bool", "int4", "float4e2m1", "float8e8m0", "uint2")):
                add(f"type-{dtype}-{version}", c(dtype, [3], [2], [1], version=version, value=value),
                    [] if listed else ["TypeOutsideVersion"])
    for version in [2, 11, 18]:
        add(f"wrap-before-19-{version}", c(f, [3], [1], [2], "wrap", version=version), ["ModeOutsideVersion"])
    for version in [2, 19, 25]:
        add(f"symmetric-{version}", c(f, [3], [1], [2], "symmetric", version=version), ["ModeOutsideVersion"])
    for version in [10, 12, 14, 17, 20, 22]:
        add(f"between-{version}", c(f, [2, 2], [1, 0], [0, 1], "edge", version=version), [])
    for version, dtype, value in [(2, "float64", 0.1), (1, "float64", 0.1), (2, "float16", 0.1), (2, "float32", {"bits": "0x80000000"}),
                                  (10, "float64", {"bits": "0x80000000"}), (2, "float32", {"bits": "0x7f800000"}),
                                  (2, "float16", 70000.0), (2, "float16", 2049), (2, "float16", 2051), (2, "float64", 16777217)]:
        name = value["bits"] if isinstance(value, dict) else value
        add(f"attribute-{version}-{dtype}-{name}", c(dtype, [2], [1], [1], version=version, value=value), ["AttributeF32"])
    for n, (dtype, value) in enumerate([("int64", 2**24 + 1), ("int64", 2**53 + 1), ("int64", -2**63), ("uint64", 2**64 - 1),
                                        ("int32", 2**24 + 1), ("uint32", 2**31 + 7), ("float64", 0.1),
                                        ("float64", {"bits": "0x7ff8000000000123"}), ("float64", {"bits": "0x8000000000000000"}),
                                        ("float32", {"bits": "0x7fc01234"}), ("float32", {"bits": "0x80000000"}),
                                        ("float16", {"bits": "0x8000"}), ("float16", {"bits": "0x7e01"}), ("bool", 1)]):
        add(f"fill-{n}-{dtype}", c(dtype, [3], [1], [2], value=value), [])

    # Crops on one side and on both, together with pads, of the whole axis, and of more elements than the axis has.
    for mode in ["constant", "edge", "reflect", "wrap"]:
        for lo, hi in [(-2, 3), (3, -2), (-2, 5), (5, -2), (-2, 0), (-2, -1), (-3, -3), (-6, 0), (-6, 3), (-7, 3), (2, -7),
                       (-3, -4), (-2, -5), (-5, 4), (-7, 8), (-9, 20)]:
            add(f"signed-{mode}-{lo}-{hi}", c("int64", [6], [lo], [hi], mode, data=[1, 2, 3, 4, 5, 6],
                                              value=9 if mode == "constant" else None), [])
        add(f"signed-{mode}-two-axes", c(f, [3, 4], [-1, 1], [1, -1], mode), [])
        add(f"signed-{mode}-crop-other", c(f, [3, 4], [-3, 1], [0, 1], mode), [])

    # Long borders, axes of length 1, empty axes.
    for mode in ["edge", "reflect", "wrap"]:
        for d, lo, hi in [(2, 2, 0), (2, 5, 4), (3, 3, 3), (3, 2, 2), (4, 11, 9), (1, 1, 1), (1, 3, 0), (1, 0, 0), (5, 4, 5), (6, 7, 0)]:
            add(f"long-{mode}-{d}-{lo}-{hi}", c("int32", [d], [lo], [hi], mode, plain=True), [])
    for mode in ["constant", "edge", "reflect", "wrap"]:
        for n, (shape, low, high) in enumerate([([0], [0], [0]), ([0], [1], [2]), ([0, 3], [0, 1], [0, 1]), ([0, 3], [1, 0], [0, 0]),
                                                ([3, 0], [1, 0], [1, 0]), ([0], [-1], [1]), ([0], [-1], [3]), ([0, 3], [0, -3], [0, 0]),
                                                ([0, 3], [0, -3], [0, 1]), ([2, 0], [-1, 0], [0, 0]), ([0], [-1], [0])]):
            add(f"empty-{mode}-{n}", c(f, shape, low, high, mode), ["EmptyAxis"])
        add(f"rank-0-{mode}", c(f, [], [], [], mode), ["RankZero"])

    # Axes.
    def axes(name, low, high, axes, mode="constant", version=25, flags=(), **rest):
        add(f"axes-{name}", c("int32", [2, 3], low, high, mode, version=version, axes=axes, plain=True, **rest), list(flags))
    for version in OPSETS[4:]:
        axes(f"last-{version}", [1], [2], [1], version=version)
        axes(f"negative-{version}", [1], [2], [-2], "edge", version=version)
    axes("swapped", [1, 2], [0, 1], [1, 0], value=5)
    axes("mixed", [1, 1], [0, 1], [-1, 0], "reflect")
    axes("none", [], [], [])
    axes("none-wrap", [], [], [], "wrap")
    axes("repeated", [1, 2], [0, 0], [1, 1], flags=["AxesRepeated"])
    axes("repeated-by-sign", [1, 0], [0, 2], [1, -1], flags=["AxesRepeated"])
    axes("repeated-crop", [-1, 2], [0, 0], [1, 1], flags=["AxesRepeated"], value=5)
    axes("too-high", [1], [1], [2], flags=["AxesOutOfRange"])
    axes("too-low", [1], [1], [-3], flags=["AxesOutOfRange"])
    axes("int32", [1], [2], [1], args={"axes_dtype": "int32"})
    axes("int32-negative", [1, 1], [2, 0], [-1, -2], "wrap", args={"axes_dtype": "int32"})
    axes("crop", [-1], [1], [-1], value=4)
    axes("too-few-pads", [1], [1], [0, 1])
    axes("too-many-pads", [1, 1], [1, 1], [0])
    axes("before-18", [1], [1], [1], version=13)

    # Shapes of the other inputs.
    add("pads-1-by-2n", c(f, [2, 2], [1, 0], [0, 1], args={"pads_shape": [1, 4]}), ["ValueShape"])
    add("pads-2-by-n", c(f, [2, 2], [1, 0], [0, 1], args={"pads_shape": [2, 2]}), ["ValueShape"])
    add("value-one-element", c(f, [2], [1], [0], value=3, args={"value_shape": [1]}), ["ValueShape"])
    add("value-one-by-one", c(f, [2], [1], [0], value=3, args={"value_shape": [1, 1]}), ["ValueShape"])
    add("value-two-elements", c(f, [2], [1], [0], value=3, args={"value_shape": [2]}), ["ValueShape"])
    add("value-with-edge", c(f, [2], [1], [0], "edge", value=3), [])
    add("value-with-reflect", c(f, [3], [1], [0], "reflect", value=3), [])
    add("too-few-pads", c(f, [2, 2], [1], [1]), [])
    add("too-many-pads", c(f, [2], [1, 1], [1, 1]), [])
    for version in [24, 25]:
        add(f"default-of-e8m0-{version}", c("float8e8m0", [2], [1], [1], version=version), ["DefaultOfE8M0"])
    add("no-pads", c(f, [2, 3], [0, 0], [0, 0]), [])
    add("too-large", c(f, [2], [2**62], [0]), [])
    add("too-large-sum", c("uint8", [2], [2**63 - 1], [2**63 - 1]), [])
