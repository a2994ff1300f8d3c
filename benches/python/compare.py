#!/usr/bin/env python3
"""Measures Python libraries on the workloads of the Rust program `compare`, and writes JSON lines in the same format.

    python compare.py ../workloads.json --json python.jsonl [--only ID,..] [--against NAME,..] [--threads N] [--rounds N]
    cargo run --profile bench -p benches --bin compare -- benches/workloads.json --merge python.jsonl

Each library runs in its own process, together with a memcpy. Times of different processes are not comparable, but ratios to
this memcpy are. The script compares every result with numpy, bit by bit, before it measures the time. It drops and names
libraries with wrong results. Each competitor has its own warm buffers, and two untimed calls before each sample.
"""

import argparse
import importlib
import json
import math
import os
import statistics
import subprocess
import sys
import time

COMPETITORS = ["numpy", "onnxruntime", "torch", "opencv", "openvino", "jax"]
ALONE_FROM = 256 << 20
WARM_UP = 2
SAMPLE = 40e-6
ROUNDS = 31, 5
BUDGET = 1.5


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least 1")
    return int(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads")
    parser.add_argument("--json", required=True, help="the file to write, with one measurement per line")
    parser.add_argument("--only", default="", help="measures only these workloads, named by the beginning of their IDs")
    parser.add_argument("--against", default=",".join(COMPETITORS), help="only these libraries")
    parser.add_argument("--threads", type=positive, default=1)
    parser.add_argument("--rounds", type=positive, help="samples of each competitor")
    parser.add_argument("--peer", help=argparse.SUPPRESS)  # the script passes it to the process of one library
    return parser.parse_args()


def main():
    args = arguments()
    if args.peer:
        return measure_library(args)
    lines, failed = [], False
    libraries = args.against.split(",")
    for library in libraries:
        if library not in COMPETITORS:
            sys.exit(f"no library is called {library}; known are {', '.join(COMPETITORS)}")
    load_workloads(args)  # wrong arguments fail before the script measures
    for library in libraries:
        part = f"{args.json}.{library}"
        open(part, "w").close()  # an interrupted run may have left records in this file
        threads = str(args.threads)
        limits = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]
        environment = dict(os.environ, JAX_PLATFORMS="cpu", **dict.fromkeys(limits, threads))
        if args.threads == 1:
            environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        command = [sys.executable, __file__, args.workloads, "--json", part, "--only", args.only]
        command += ["--threads", threads, "--peer", library]
        if args.rounds is not None:
            command += ["--rounds", str(args.rounds)]
        done = subprocess.run(command, env=environment, check=False)
        with open(part) as file:
            lines += file.readlines()
        os.remove(part)
        if done.returncode != 0:
            failed = True
            print(f"dropped: {library}: its process ended with {done.returncode}", file=sys.stderr)
    with open(args.json, "w") as file:
        file.writelines(lines)
    sys.exit(int(failed))


def load_workloads(args):
    """Return the workloads that `args` name."""
    try:
        with open(args.workloads) as file:
            workloads = [Workload(entry) for entry in json.load(file)]
    except (OSError, ValueError) as error:
        sys.exit(f"{args.workloads}: {error}")
    beginnings = [beginning for beginning in args.only.split(",") if beginning] or [""]
    for beginning in beginnings:
        if not any(workload.id.startswith(beginning) for workload in workloads):
            sys.exit(f"no workload is called {beginning}")
    return [workload for workload in workloads if workload.id.startswith(tuple(beginnings))]


def measure_library(args):
    """Measure the library `args.peer` in this process, and write its records."""
    limit_processors(args.threads)
    try:
        competitors = globals()[f"make_{args.peer}"](args.threads)
    except ImportError as error:
        sys.exit(f"{args.peer}: {error}")
    workloads = load_workloads(args)
    with open(args.json, "w") as out:
        for number, workload in enumerate(workloads):
            print(f"\r{args.peer} {number + 1}/{len(workloads)} {workload.id:30}", end="", file=sys.stderr)
            for record in measure_workload(workload, competitors, args):
                out.write(json.dumps(record, separators=(",", ":")) + "\n")
                out.flush()
    print(file=sys.stderr)


def limit_processors(threads):
    """Limit the processors, because some libraries have no option for the number of threads."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))[:threads]
        os.sched_setaffinity(0, processors)


class Workload:
    """One entry of the file of workloads. It makes the input and the output that numpy gives."""

    # numpy lacks the types of SKIPPED, which are packed types and floats of 8 bits. The script does not measure them.
    DTYPES = {
        "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i8": "int8", "i16": "int16",
        "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
        "bool": "bool", "c64": "complex64", "c128": "complex128",
    }
    SKIPPED = {"i4", "u4", "f4e2m1", "i2", "u2", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz"}

    def __init__(self, entry):
        known = {"id", "class", "dtype", "shape", "pads", "interior", "mode", "value", "why"}
        if entry.keys() - known:
            raise ValueError(f"{entry.get('id')}: unknown fields {entry.keys() - known}")
        self.id, self.kind, self.dtype = entry["id"], entry["class"], entry["dtype"]
        if self.dtype not in self.DTYPES and self.dtype not in self.SKIPPED:
            raise ValueError(f"{self.id}: unknown dtype {self.dtype}")
        self.shape, self.pads, self.mode = entry["shape"], entry["pads"], entry["mode"]
        self.interior = entry.get("interior") or [0] * len(self.shape)
        self.value = entry.get("value", 0)
        self.plain = not any(self.interior) and min(map(min, self.pads), default=0) >= 0

    def numpy_dtype(self):
        import numpy
        if self.dtype == "bf16":
            return numpy.dtype(importlib.import_module("ml_dtypes").bfloat16)
        return numpy.dtype(self.DTYPES[self.dtype])

    def fill(self):
        return self.numpy_dtype().type(self.value)

    def output_shape(self):
        axes = zip(self.shape, self.pads, self.interior)
        return [max(d - 1, 0) * gap + d + low + high for d, (low, high), gap in axes]

    def make_input(self):
        import numpy
        dtype, count = self.numpy_dtype(), math.prod(self.shape)
        values = numpy.arange(count, dtype=numpy.uint32)
        values *= numpy.uint32(2654435761)
        if dtype.kind in "fcV" or self.dtype == "bf16":
            # The values are finite, not whole, and exact in every type.
            values = (values >> numpy.uint32(24)).astype(numpy.float32)
            values /= numpy.float32(64)
            return values.astype(dtype, copy=False).reshape(self.shape)
        shift = numpy.uint32(31 if dtype.kind == "b" else 32 - min(31, 8 * dtype.itemsize - 1))
        return (values >> shift).astype(dtype).reshape(self.shape)

    def output_slices(self):
        """Return the slices of the input that no crop removes, and the slices of the output that receive them."""
        source, target = [], []
        for d, (low, high), gap in zip(self.shape, self.pads, self.interior):
            if gap and min(low, high) < 0:
                return None
            start, end = max(-low, 0), d - max(-high, 0)
            source.append(slice(start, end))
            first = max(low, 0)
            target.append(slice(first, first + (end - start - 1) * (gap + 1) + 1, gap + 1))
        return tuple(source), tuple(target)

    def expected(self, data):
        import numpy
        if self.mode == "constant":
            source, target = self.output_slices()
            output = numpy.full(self.output_shape(), self.fill())
            output[target] = data[source]
            return output
        return numpy.pad(data, self.pads, mode=self.mode)


class Into:
    """A call that writes to an existing buffer. `run()` pads, and `output` is the buffer as a numpy array."""

    contract = "into"

    def __init__(self, run, output):
        self.run, self.output = run, output

    def bytes(self):
        flat = self.output.reshape(-1).view("uint8")
        flat[:] = 0xA5
        self.run()
        return flat


class Alloc:
    """A call that returns a new tensor. `run()` pads, and `numpy(tensor)` turns the tensor into an array."""

    contract = "alloc"

    def __init__(self, run, numpy=lambda output: output):
        self.run, self.numpy = run, numpy

    def bytes(self):
        import numpy
        return numpy.ascontiguousarray(self.numpy(self.run())).reshape(-1).view("uint8")


def measure_workload(workload, competitors, args):
    """Return the records of one workload, for memcpy and for each competitor with the right bytes."""
    import numpy
    if workload.dtype in workload.SKIPPED:
        return []
    data = workload.make_input()
    expected = workload.expected(data).reshape(-1).view("uint8")
    size = expected.nbytes
    alone = size >= ALONE_FROM
    lanes = []
    for name, make in competitors:
        try:
            ready = make(workload, data)
            if ready is None:
                continue
            if not numpy.array_equal(ready.bytes(), expected):
                raise ValueError("wrong bytes")
        except Exception as error:  # libraries raise exceptions of many types if they cannot run a workload
            reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
            print(f"\ndropped: {name} on {workload.id}: {reason}", file=sys.stderr)
            continue
        lanes.append(Lane(name, ready))
    if not lanes:
        return []
    target = numpy.full(size, 0, dtype="uint8")
    memcpy = Into(lambda: numpy.copyto(target, expected), target)

    def record(lane, reference):
        median = statistics.median(lane.samples)
        return {
            "workload": workload.id, "class": workload.kind, "competitor": lane.name, "median_ns": median * 1e9,
            "min_ns": min(lane.samples) * 1e9, "bytes_out": size, "ratio_memcpy": reference / median,
            "threads": args.threads, "contract": lane.competitor.contract,
        }

    if not alone:
        reference = Lane("memcpy", memcpy)
        interleave([reference, *lanes], args.rounds)
        median = statistics.median(reference.samples)
        return [record(lane, median) for lane in [reference, *lanes]]
    records, samples = [], []
    while lanes:
        lane = lanes.pop(0)
        reference = Lane("memcpy", memcpy)
        interleave([reference, lane], args.rounds)
        records.append(record(lane, statistics.median(reference.samples)))
        samples += reference.samples
        lane.competitor = None
    reference.samples = samples
    return [record(reference, statistics.median(samples)), *records]


class Lane:
    """One call to measure, and the times of its samples in seconds."""

    def __init__(self, name, competitor):
        self.name, self.competitor, self.samples, self.spent, self.calls = name, competitor, [], 0, None

    def batch(self):
        run = self.competitor.run
        start = time.perf_counter()
        for _ in range(self.calls):
            run()
        return time.perf_counter() - start

    def calibrate(self):
        self.calls = WARM_UP
        self.batch()
        self.calls = 1
        while (seconds := self.batch()) < SAMPLE:
            self.calls = min(10 * self.calls, int(1.2 * SAMPLE * self.calls / seconds) + 1)

    def sample(self):
        start = time.perf_counter()
        for _ in range(WARM_UP):
            self.competitor.run()
        self.samples.append(self.batch() / self.calls)
        self.spent += time.perf_counter() - start


def interleave(lanes, rounds):
    for lane in lanes:
        lane.calibrate()
    for number in range(rounds or ROUNDS[0]):
        for i in range(len(lanes)):
            lane = lanes[(number + i) % len(lanes)]
            if rounds or lane.spent < BUDGET or len(lane.samples) < ROUNDS[1]:
                lane.sample()


# Each of the following functions returns pairs of a name and a function. This inner function prepares the call of a workload. It
# returns None if the library has no such call.


def make_numpy(threads):
    import numpy

    def pad(workload, data):
        if not workload.plain:
            return None
        keywords = {"constant_values": workload.fill()} if workload.mode == "constant" else {}
        return Alloc(lambda: numpy.pad(data, workload.pads, mode=workload.mode, **keywords))

    def fill_assign(workload, data):
        if workload.mode != "constant":
            return None
        source, target = workload.output_slices()
        output = numpy.empty(workload.output_shape(), data.dtype)
        inside, part, fill = output[target], data[source], workload.fill()

        def run():
            output.fill(fill)
            inside[...] = part

        return Into(run, output)

    return [("numpy", pad), ("numpy", fill_assign)]


def onnx_model(workload):
    """Return a model of one Pad as bytes, and its types, or None if ONNX cannot express the workload."""
    from onnx import TensorProto, helper, numpy_helper
    import numpy

    modes = {"constant": "constant", "reflect": "reflect", "edge": "edge", "wrap": "wrap"}
    if any(workload.interior) or workload.mode not in modes:
        return None
    dtype = helper.np_dtype_to_tensor_dtype(workload.numpy_dtype())
    if dtype in (TensorProto.COMPLEX64, TensorProto.COMPLEX128):
        return None
    pads = [low for low, _ in workload.pads] + [high for _, high in workload.pads]
    constants = [numpy_helper.from_array(numpy.array(pads, dtype="int64"), "pads")]
    inputs = ["data", "pads"]
    if workload.mode == "constant":
        constants.append(numpy_helper.from_array(numpy.array(workload.value, dtype=workload.numpy_dtype()), "value"))
        inputs.append("value")
    node = helper.make_node("Pad", inputs, ["padded"], mode=modes[workload.mode])
    tensors = [helper.make_tensor_value_info(name, dtype, shape)
               for name, shape in [("data", workload.shape), ("padded", workload.output_shape())]]
    graph = helper.make_graph([node], "pad", tensors[:1], tensors[1:], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)], ir_version=9)
    return model.SerializeToString(), dtype


def make_onnxruntime(threads):
    import numpy
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = threads
    options.log_severity_level = 4

    def pad(workload, data):
        made = onnx_model(workload)
        if made is None or workload.dtype == "bf16":
            return None
        session = onnxruntime.InferenceSession(made[0], options, providers=["CPUExecutionProvider"])
        output = numpy.empty(workload.output_shape(), data.dtype)
        binding = session.io_binding()
        for bind, name, array in [(binding.bind_input, "data", data), (binding.bind_output, "padded", output)]:
            bind(name, "cpu", 0, array.dtype, array.shape, array.ctypes.data)
        return Into(lambda: session.run_with_iobinding(binding), output)

    return [("onnxruntime", pad)]


def make_torch(threads):
    import torch

    torch.set_num_threads(threads)
    modes = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular"}

    def pad(workload, data):
        if any(workload.interior) or workload.mode not in modes:
            return None
        if workload.dtype == "bf16":
            source = torch.from_numpy(data.view("int16")).view(torch.bfloat16)
        else:
            source = torch.from_numpy(data)
        pads = list(workload.pads)
        if workload.mode == "constant":
            keywords = {"value": workload.value}
        else:
            keywords = {}
            # Modes other than `constant` pad the last one to three axes. Before these, they need a batch axis and a channel axis.
            padded = max(i for i, (low, high) in enumerate(reversed(pads)) if low or high) + 1
            while source.dim() < padded + 2:
                source = source[None]
            source = source.reshape(-1, *source.shape[source.dim() - padded - 1:])
            pads = pads[len(pads) - padded:]
        last_first = [side for pair in reversed(pads) for side in pair]
        shape = workload.output_shape()

        def show(output):
            output = output.reshape(shape)
            return (output.view(torch.int16) if workload.dtype == "bf16" else output).numpy()

        mode = modes[workload.mode]
        return Alloc(lambda: torch.nn.functional.pad(source, last_first, mode=mode, **keywords), show)

    return [("torch", pad)]


def make_opencv(threads):
    import cv2
    import numpy

    cv2.setNumThreads(threads)
    modes = {
        "constant": cv2.BORDER_CONSTANT, "reflect": cv2.BORDER_REFLECT_101, "symmetric": cv2.BORDER_REFLECT,
        "edge": cv2.BORDER_REPLICATE, "wrap": cv2.BORDER_WRAP,
    }

    def pad(workload, data):
        kinds = {"u8", "i8", "u16", "i16", "i32", "f32", "f64"}
        if not workload.plain or workload.dtype not in kinds:
            return None
        axes = [i for i, d in enumerate(workload.shape) if d > 1 or any(workload.pads[i])]
        shape, pads = [workload.shape[i] for i in axes], [workload.pads[i] for i in axes]
        output = numpy.empty(workload.output_shape(), data.dtype)
        if len(shape) == 1:
            shape, pads = [1, *shape], [[0, 0], *pads]
        # OpenCV pads rows and columns of an image. A third axis holds the channels, and has no pads.
        if len(shape) > 3 or (len(shape) == 3 and (any(pads[2]) or shape[2] > 128)):
            return None
        image = data.reshape(shape)
        target = output.reshape([d + low + high for d, (low, high) in zip(shape, pads)])
        (top, bottom), (left, right) = pads[0], pads[1]
        mode, value = modes[workload.mode], [workload.value] * 4
        if mode == cv2.BORDER_CONSTANT and len(shape) == 3 and shape[2] > 4 and workload.value != 0:
            return None
        return Into(lambda: cv2.copyMakeBorder(image, top, bottom, left, right, mode, target, value), output)

    return [("opencv", pad)]


def make_openvino(threads):
    import numpy
    import openvino
    from openvino import opset12

    core = openvino.Core()
    modes = {"constant": "constant", "reflect": "reflect", "symmetric": "symmetric", "edge": "edge"}

    def pad(workload, data):
        if any(workload.interior) or workload.mode not in modes or workload.dtype in ("c64", "c128"):
            return None
        bf16 = workload.dtype == "bf16"
        dtype = openvino.Type.bf16 if bf16 else openvino.Type(data.dtype)
        source = opset12.parameter(workload.shape, dtype)
        value = opset12.constant(workload.value, dtype)
        low, high = [numpy.array(side, dtype="int64") for side in zip(*workload.pads)]
        node = opset12.pad(source, low, high, modes[workload.mode], value if workload.mode == "constant" else None)
        model = openvino.Model([node], [source])
        properties = {"INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": dtype.to_string()}
        if data.dtype.kind != "f" and not bf16:
            del properties["INFERENCE_PRECISION_HINT"]
        request = core.compile_model(model, "CPU", properties).create_infer_request()
        output = numpy.empty(workload.output_shape(), data.dtype)
        if bf16:
            tensors = [openvino.Tensor(array.view("uint16"), array.shape, dtype) for array in (data, output)]
        else:
            tensors = [openvino.Tensor(array, shared_memory=True) for array in (data, output)]
        request.set_input_tensor(tensors[0])
        request.set_output_tensor(tensors[1])
        return Into(request.infer, output)

    return [("openvino", pad)]


def make_jax(threads):
    import jax
    import numpy
    from jax import lax

    jax.config.update("jax_enable_x64", True)

    def pad(workload, data):
        source = jax.device_put(data)
        if workload.mode == "constant":
            config = [(low, high, gap) for (low, high), gap in zip(workload.pads, workload.interior)]
            fill = workload.fill()
            function = jax.jit(lambda x: lax.pad(x, fill, config))
        elif workload.plain:
            function = jax.jit(lambda x: jax.numpy.pad(x, workload.pads, mode=workload.mode))
        else:
            return None
        function(source).block_until_ready()
        return Alloc(lambda: function(source).block_until_ready(), numpy.asarray)

    return [("jax", pad)]


if __name__ == "__main__":
    main()
