"""Loads the library into onnxruntime, and tests pad_kernels::Pad. It compares results with ONNX's cases, numpy and onnxruntime's own Pad.

python check.py LIBRARY [--bench WORKLOADS]

With --bench it also prints a table of times for the workloads that onnxruntime's own Pad runs.
"""

import argparse
import ctypes
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

# The keys are names of types in numpy and ml_dtypes. The values are their names in ONNX.
TYPES = {name: name for name in "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()}
TYPES |= {"bfloat16": "bfloat16", "float8_e4m3fn": "float8e4m3fn", "float8_e4m3fnuz": "float8e4m3fnuz"}
TYPES |= {"float8_e5m2": "float8e5m2", "float8_e5m2fnuz": "float8e5m2fnuz", "float8_e8m0fnu": "float8e8m0"}
PACKED = {"uint4": 4, "int4": 4, "float4e2m1": 4, "uint2": 2, "int2": 2}
MODES = ["constant", "edge", "reflect", "wrap"]


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
    """Return a model of one Pad node, or of several equal ones."""
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
    """Run ONNX's own cases on onnxruntime's Pad and on ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from onnx.backend.test.case.node import collect_testcases

        cases = collect_testcases("Pad")
    for case in cases:
        # The wheel of onnxruntime supports opsets up to about 24. After opset 21, only the types of Pad have changed.
        case.model.opset_import[0].version = min(case.model.opset_import[0].version, 21)
        case.model.ir_version = 10
        for inputs, outputs in case.data_sets:
            feeds = {value.name: np.asarray(array) for value, array in zip(case.model.graph.input, inputs)}
            same(session(case.model).run(None, feeds)[0], outputs[0], f"{case.name} by onnxruntime")
            same(ours(case.model, library).run(None, feeds)[0], outputs[0], case.name)
    return len(cases)


def types_and_modes(library):
    """Compare every type in every mode with numpy, bit by bit."""
    count = 0
    for (name, kind), mode in itertools.product(TYPES.items(), MODES):
        dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
        bits = np.arange(12, dtype=np.uint8).repeat(dtype.itemsize).view(f"V{dtype.itemsize}").reshape(3, 4)
        if name == "bool":
            bits = (np.arange(12).reshape(3, 4) % 2).astype(bool)
        one = np.array(bits[0, 1])
        # On each axis, one of the borders is longer than the axis.
        widths = [(1, 7), (9, 2)]
        indices = np.pad(np.arange(12).reshape(3, 4), widths, mode, **fill_of(mode, -1))
        expected = np.where(indices < 0, one, bits.reshape(-1)[indices])
        fill = one.tobytes() if mode == "constant" else None
        model = pad_model(onnx_type(kind), 2, [1, 9, 7, 2], mode, fill)
        same(run_bits(ours(model, library), bits, onnx_type(kind)), expected.astype(bits.dtype), (name, mode))
        count += 1
    for (kind, width), mode in itertools.product(PACKED.items(), MODES):
        values = np.arange(5, dtype=np.uint8) % (1 << width)
        expected = np.pad(values, (7, 2), mode, **fill_of(mode, 0))
        model = pad_model(onnx_type(kind), 1, [7, 2], mode)
        found = run_bits(ours(model, library), pack(values, width), onnx_type(kind), shape=[5])
        same(found.reshape(-1).view(np.uint8), pack(expected, width), (kind, mode))
        count += 1
    for mode in MODES:
        words = np.array(["a", "", "ccc"], dtype=object)
        expected = np.pad(words, (4, 5), mode, **fill_of(mode, "fill"))
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
    """Run a model on a tensor of any type. Input and result are bits, because numpy lacks some of the types."""
    integers = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
    as_integers = np.ascontiguousarray(bits).view(integers[bits.dtype.itemsize])
    if shape:
        # onnxruntime expects an array with one value per element, but it only reads the packed bytes at the beginning.
        as_integers = np.pad(as_integers, (0, shape[0] - len(as_integers)))
    value = ort.OrtValue.ortvalue_from_numpy_with_onnx_type(as_integers, kind)
    found = run.run_with_ort_values(["y0"], {"x": value})[0]
    found_bytes = ctypes.string_at(found.data_ptr(), found.tensor_size_in_bytes())
    return np.frombuffer(found_bytes, bits.dtype).reshape(-1 if shape else found.shape())


def other_pads(library):
    """Test negative pads, interior padding, and listed axes."""
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


def network():
    """Return the model of a small network with three Pad nodes."""
    rng = np.random.default_rng(1)
    weights = [rng.standard_normal(shape, np.float32) for shape in [(8, 3, 7, 7), (16, 8, 3, 3), (4, 16, 3, 3)]]
    constants = [numpy_helper.from_array(weight, f"w{i}") for i, weight in enumerate(weights)]
    nodes, last = [], "x"
    for i, (mode, width) in enumerate([("reflect", 3), ("constant", 1), ("edge", 1)]):
        pads = np.array([0, 0, width, width] * 2, np.int64)
        constants.append(numpy_helper.from_array(pads, f"pads{i}"))
        nodes.append(helper.make_node("Pad", [last, f"pads{i}"], [f"p{i}"], mode=mode))
        nodes.append(helper.make_node("Conv", [f"p{i}", f"w{i}"], [f"c{i}"]))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"]))
        last = f"r{i}"
    of = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [None] * 4)
    graph = helper.make_graph(nodes, "network", [of("x")], [of(last)], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def whole_network(library):
    model = network()
    x = np.random.default_rng(2).standard_normal((2, 3, 64, 64), np.float32)
    same(ours(model, library).run(None, {"x": x})[0], session(model).run(None, {"x": x})[0], "network")
    return 1


def bench(library, workloads):
    """Print a table of times per node, for workloads that both our node and onnxruntime's can pad."""
    print("| workload | output | onnxruntime | pad_kernels | ratio |")
    print("|---|---|---|---|---|")
    names = {"f32": "float32", "f64": "float64", "f16": "float16", "u8": "uint8", "i64": "int64", "bool": "bool"}
    ratios = []
    for work in json.load(open(workloads)):
        size = np.prod(work["shape"], dtype=np.int64)
        if work["dtype"] not in names or work["mode"] == "symmetric" or "interior" in work or size > 1 << 25:
            continue
        name = names[work["dtype"]]
        x = np.random.default_rng(3).integers(0, 2, work["shape"]).astype(name)
        pads = [pair[end] for end in (0, 1) for pair in work["pads"]]
        fill = np.array(work.get("value", 0), name).tobytes() if work["mode"] == "constant" else None
        bytes_out = int(np.prod([n + sum(pair) for n, pair in zip(work["shape"], work["pads"])])) * x.itemsize
        copies = max(1, min(256, (1 << 20) // bytes_out))
        model = pad_model(onnx_type(name), x.ndim, pads, work["mode"], fill, copies=copies)
        runs = [session(model), ours(model, library)]
        bindings = []
        for run in runs:
            binding = run.io_binding()
            binding.bind_ortvalue_input("x", ort.OrtValue.ortvalue_from_numpy(x))
            for i in range(copies):
                binding.bind_output(f"y{i}")
            run.run_with_iobinding(binding)
            bindings.append(binding)
        same(bindings[1].copy_outputs_to_cpu()[0], bindings[0].copy_outputs_to_cpu()[0], work["id"])
        best = [float("inf")] * 2
        for _ in range(40):
            for i, (run, binding) in enumerate(zip(runs, bindings)):
                start = time.perf_counter()
                run.run_with_iobinding(binding)
                best[i] = min(best[i], (time.perf_counter() - start) / copies)
        ratios.append(best[1] / best[0])
        theirs, our = (f"{seconds * 1e6:.1f} us" for seconds in best)
        print(f"| {work['id']} | {bytes_out / 1024:.1f} KiB | {theirs} | {our} | {ratios[-1]:.2f} |")
    print(f"geometric mean of {len(ratios)} ratios: {np.exp(np.log(ratios).mean()):.2f}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    arguments.add_argument("library")
    arguments.add_argument("--bench", metavar="WORKLOADS", help="such as benches/workloads.json")
    options = arguments.parse_args()
    passed = sum(check(options.library) for check in (official_cases, types_and_modes, other_pads, whole_network))
    if options.bench:
        bench(options.library, options.bench)
    print(f"{passed} passed, 0 failed")


if __name__ == "__main__":
    main()
