"""Loads the library into onnxruntime, and compares pad_kernels::Pad with ONNX's cases, numpy and onnxruntime's own Pad.

python check.py LIBRARY [--bench WORKLOADS]

With --bench it also prints a table of times for the workloads that onnxruntime's own Pad runs.
"""

import argparse
import itertools
import json
import time
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

import pad_kernels_ort

# numpy's types, and what ONNX calls them where that is something else.
TYPES = {name: name for name in "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()}
TYPES |= {"bfloat16": "bfloat16", "float8_e4m3fn": "float8e4m3fn", "float8_e4m3fnuz": "float8e4m3fnuz"}
TYPES |= {"float8_e5m2": "float8e5m2", "float8_e5m2fnuz": "float8e5m2fnuz", "float8_e8m0fnu": "float8e8m0"}
TYPES |= {"complex64": "complex64", "complex128": "complex128"}
PACKED = {"uint4": 4, "int4": 4, "float4e2m1": 4, "uint2": 2, "int2": 2}
MODES = {"constant": "constant", "edge": "edge", "reflect": "reflect", "wrap": "wrap"}


def onnx_type(name):
    names = {"float32": "FLOAT", "float64": "DOUBLE"}
    return getattr(TensorProto, names.get(name, name.upper()))


def session(model, library=None):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    if library:
        options.register_custom_ops_library(library)
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def pad_model(kind, rank, pads, mode, fill=None, axes=None, interior=None, copies=1):
    """A model of one Pad node, or of several that do the same."""
    constants = [numpy_helper.from_array(np.array(pads, np.int64), "pads")]
    inputs = ["x", "pads", "", ""]
    if fill is not None:
        constants.append(helper.make_tensor("fill", kind, [], fill, raw=isinstance(fill, bytes)))
        inputs[2] = "fill"
    if axes is not None:
        constants.append(numpy_helper.from_array(np.array(axes, np.int64), "axes"))
        inputs[3] = "axes"
    attributes = {"mode": mode} | ({} if interior is None else {"interior": interior})
    shape = [None] * rank
    nodes = [helper.make_node("Pad", inputs, [f"y{i}"], **attributes) for i in range(copies)]
    outputs = [helper.make_tensor_value_info(f"y{i}", kind, shape) for i in range(copies)]
    graph = helper.make_graph(nodes, "pad", [helper.make_tensor_value_info("x", kind, shape)], outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def ours(model, library):
    model = onnx.ModelProto.FromString(model.SerializeToString())
    assert pad_kernels_ort.rewrite(model) > 0
    return session(model, library)


def same(found, expected, what):
    assert found.shape == expected.shape and found.dtype == expected.dtype, (what, found.shape, expected.shape)
    equal = (found == expected).all() if found.dtype == object else found.tobytes() == expected.tobytes()
    assert equal, (what, found, expected)


def official_cases(library):
    """ONNX's own cases, run by onnxruntime's Pad and by ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases("Pad")
    for case in cases:
        # The wheel knows opset 24 or so, and Pad has not changed but for its types.
        case.model.opset_import[0].version = min(case.model.opset_import[0].version, 21)
        case.model.ir_version = 10
        for inputs, outputs in case.data_sets:
            feeds = {value.name: array for value, array in zip(case.model.graph.input, inputs)}
            same(session(case.model).run(None, feeds)[0], outputs[0], f"{case.name} by onnxruntime")
            same(ours(case.model, library).run(None, feeds)[0], outputs[0], case.name)
    return len(cases)


def types_and_modes(library):
    """Every type in every mode, compared with numpy on the bits."""
    count = 0
    for (name, kind), mode in itertools.product(TYPES.items(), MODES):
        dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
        bits = np.arange(12, dtype=np.uint8).repeat(dtype.itemsize).view(f"V{dtype.itemsize}").reshape(3, 4)
        if name == "bool":
            bits = (np.arange(12).reshape(3, 4) % 2).astype(bool)
        one = np.array(bits[0, 1])
        # Longer than the axis, on one side.
        widths = [(1, 7), (9, 2)]
        indices = np.pad(np.arange(12).reshape(3, 4), widths, MODES[mode], **fill_of(mode, -1))
        expected = np.where(indices < 0, one, bits.reshape(-1)[indices])
        fill = one.tobytes() if mode == "constant" else None
        model = pad_model(onnx_type(kind), 2, [1, 9, 7, 2], mode, fill)
        same(run_bits(ours(model, library), bits, onnx_type(kind)), expected.astype(bits.dtype), (name, mode))
        count += 1
    for (kind, width), mode in itertools.product(PACKED.items(), MODES):
        values = np.arange(5, dtype=np.uint8) % (1 << width)
        expected = np.pad(values, (7, 2), MODES[mode], **fill_of(mode, 0))
        model = pad_model(onnx_type(kind), 1, [7, 2], mode)
        found = run_bits(ours(model, library), pack(values, width), onnx_type(kind), shape=[5])
        same(found.reshape(-1).view(np.uint8), pack(expected, width), (kind, mode))
        count += 1
    for mode in MODES:
        words = np.array(["a", "", "ccc"], dtype=object)
        expected = np.pad(words, (4, 5), MODES[mode], **fill_of(mode, "fill"))
        model = pad_model(TensorProto.STRING, 1, [4, 5], mode, [b"fill"] if mode == "constant" else None)
        same(ours(model, library).run(None, {"x": words})[0], expected, ("string", mode))
        count += 1
    return count


def fill_of(mode, value):
    return {"constant_values": value} if mode == "constant" else {}


def pack(values, width):
    per_byte = 8 // width
    values = np.pad(values, (0, -len(values) % per_byte)).reshape(-1, per_byte)
    return (values << (np.arange(per_byte) * width)).sum(axis=1).astype(np.uint8)


def run_bits(run, bits, kind, shape=None):
    """Runs on a tensor of any type, given and returned as bits."""
    raise NotImplementedError


def other_pads(library):
    """Negative and interior pads, and listed axes."""
    x = np.arange(1, 7, dtype=np.float32)
    cases = [
        ([-2, 3], "constant", dict(), [3, 4, 5, 6, 0, 0, 0]),
        ([-2, 5], "reflect", dict(), [3, 4, 5, 6, 5, 4, 3, 4, 5]),
        ([3, -2], "wrap", dict(), [2, 3, 4, 1, 2, 3, 4]),
        ([1, 0], "constant", dict(interior=[1], fill=[9.0]), [9, 1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6]),
        ([0, 1], "edge", dict(axes=[-1]), [1, 2, 3, 4, 5, 6, 6]),
    ]
    for pads, mode, options, expected in cases:
        model = pad_model(TensorProto.FLOAT, 1, pads, mode, **options)
        same(ours(model, library).run(None, {"x": x})[0], np.array(expected, np.float32), (pads, mode))
    for pads, axes in ([1, 2, 3], None), ([1, 1, 1, 1], [0, -1]):
        try:
            ours(pad_model(TensorProto.FLOAT, 1, pads, "edge", axes=axes), library).run(None, {"x": x})
        except Exception as error:
            assert "axes have" in str(error) or "listed twice" in str(error), error
        else:
            raise AssertionError(f"{pads} are accepted")
    return len(cases) + 2
