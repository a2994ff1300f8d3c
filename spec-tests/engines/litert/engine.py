"""LiteRT's PAD, PADV2 and MIRROR_PAD, by models of one operator, asked the calls of tf.pad"""

import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

from adapter import serve  # noqa: E402, the others are found by its path
import flatbuffers  # noqa: E402
import numpy as np  # noqa: E402
from ai_edge_litert import schema_py_generated as schema  # noqa: E402
from ai_edge_litert.interpreter import Interpreter, OpResolverType  # noqa: E402
from elements import answer_of, data_of, decode_scalar, dtype_name, np_dtype  # noqa: E402
from importlib.metadata import version  # noqa: E402

SOURCE = f"LiteRT {version('ai-edge-litert')} (reference kernels)"
TYPES = {"float32": "FLOAT32", "float16": "FLOAT16", "float64": "FLOAT64", "bfloat16": "BFLOAT16", "bool": "BOOL", "complex64": "COMPLEX64",
         "complex128": "COMPLEX128", **{f"{u}int{n}": f"{u.upper()}INT{n}" for u in ("", "u") for n in (8, 16, 32, 64)}}


def cannot(case):
    if case["dialect"] != "tensorflow":
        return f"dialect {case['dialect']}"
    if case["mode"] not in ("constant", "reflect", "symmetric"):
        return f"mode {case['mode']}"
    if dtype_name(case["dtype"]) not in TYPES:
        return f"type {case['dtype']}"
    if len(case["low"]) != len(case["high"]) or "paddings" in case.get("args", {}):
        return "paddings as Python gives them"


def tensor(shape, kind, name, buffer):
    one = schema.TensorT()
    one.shape, one.type, one.name, one.buffer = list(shape), kind, name, buffer
    return one


def model(case, widths):
    kind = getattr(schema.TensorType, TYPES[dtype_name(case["dtype"])])
    wide = getattr(schema.TensorType, "INT64" if widths.dtype == np.int64 else "INT32")
    tensors = [tensor(case["shape"], kind, "data", 0), tensor(widths.shape, wide, "paddings", 1)]
    operator, code = schema.OperatorT(), schema.OperatorCodeT()
    if case["mode"] != "constant":
        name, operator.builtinOptionsType = "MIRROR_PAD", schema.BuiltinOptions.MirrorPadOptions
        operator.builtinOptions = schema.MirrorPadOptionsT()
        operator.builtinOptions.mode = getattr(schema.MirrorPadMode, case["mode"].upper())
    elif "value" in case:
        name, operator.builtinOptionsType = "PADV2", schema.BuiltinOptions.PadV2Options
        operator.builtinOptions = schema.PadV2OptionsT()
        tensors.append(tensor([], kind, "value", 0))
    else:
        name, operator.builtinOptionsType = "PAD", schema.BuiltinOptions.PadOptions
        operator.builtinOptions = schema.PadOptionsT()
    # The newest of each that it knows.
    code.version = 3 if name == "MIRROR_PAD" else 4
    code.builtinCode = getattr(schema.BuiltinOperator, name)
    code.deprecatedBuiltinCode = min(code.builtinCode, 127)
    output = len(tensors)
    tensors.append(tensor([], kind, "output", 0))
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, list(range(output)), [output]
    graph = schema.SubGraphT()
    graph.tensors, graph.operators = tensors, [operator]
    graph.inputs, graph.outputs = [i for i in range(output) if i != 1], [output]
    whole = schema.ModelT()
    whole.version, whole.operatorCodes, whole.subgraphs = 3, [code], [graph]
    empty, constant = schema.BufferT(), schema.BufferT()
    constant.data = np.frombuffer(widths.tobytes(), np.uint8)
    whole.buffers = [empty, constant]
    builder = flatbuffers.Builder(1024)
    builder.Finish(whole.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def run(case):
    name = dtype_name(case["dtype"])
    pairs = list(zip(case["low"], case["high"]))
    long = any(not -2**31 <= width < 2**31 for pair in pairs for width in pair)
    widths = np.array(pairs, dtype=np.int64 if long else np.int32).reshape((len(pairs), 2))
    try:
        # The reference kernels alone: without them XNNPACK takes what it can.
        interpreter = Interpreter(model_content=model(case, widths), experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        interpreter.allocate_tensors()
        inputs = [data_of(case)] + ([decode_scalar(case["value"], name)] if "value" in case else [])
        for place, array in zip(interpreter.get_input_details(), inputs):
            interpreter.set_tensor(place["index"], np.ascontiguousarray(array).reshape(array.shape))
        interpreter.invoke()
        out = interpreter.get_tensor(interpreter.get_output_details()[0]["index"])
    except (RuntimeError, ValueError) as error:
        return {"error": str(error)}
    return answer_of(np.asarray(out).astype(np_dtype(name), copy=False))


serve(SOURCE, run, cannot)
