"""Builds a LiteRT model with one operator, and runs it with the interpreter."""

import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

TYPES = {name: getattr(schema.TensorType, name.upper()) for name in
         ["float16", "float32", "float64", "bfloat16", "int2", "int4", "int8", "int16", "int32", "int64", "uint4", "uint8", "uint16",
          "uint32", "uint64", "bool", "complex64", "complex128", "string"] if hasattr(schema.TensorType, name.upper())}
# The tuples have the newest version of an operator, the name of its options, and the field of the options: 1 for builtinOptions,
# or 2 for builtinOptions2.
OPERATORS = {"PAD": (4, "PadOptions", 1), "PADV2": (4, "PadV2Options", 1), "MIRROR_PAD": (3, "MirrorPadOptions", 1),
             "DILATE": (1, "DilateOptions", 2)}
SCALE = 0.5


def tensor(name, dtype, shape, zero_point=None):
    made = schema.TensorT()
    made.name, made.type, made.shape, made.hasRank = name, TYPES[dtype], list(shape), True
    if zero_point is not None:
        made.quantization = schema.QuantizationParametersT()
        made.quantization.scale, made.quantization.zeroPoint = [SCALE], [zero_point]
    return made


def model(operator, mode, tensors, constants):
    """Returns the bytes of a model with one node.

    The last tensor is the output of the node, and the others are its inputs. An input with bytes in `constants` is stored in the
    model, as converters do. All other inputs are inputs of the model.
    """
    version, options, place = OPERATORS[operator]
    code = schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, operator)
    code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
    node = schema.OperatorT()
    node.inputs, node.outputs = list(range(len(tensors) - 1)), [len(tensors) - 1]
    made = getattr(schema, options + "T")()
    if mode is not None:
        made.mode = mode
    if place == 1:
        node.builtinOptions, node.builtinOptionsType = made, getattr(schema.BuiltinOptions, options)
    else:
        node.builtinOptions2, node.builtinOptions2Type = made, getattr(schema.BuiltinOptions2, options)
    graph = schema.SubGraphT()
    buffers = [schema.BufferT()]
    for one, constant in zip(tensors, constants):
        if constant:
            one.buffer = len(buffers)
            buffers.append(schema.BufferT())
            buffers[-1].data = np.frombuffer(constant, np.uint8)
    graph.tensors, graph.operators, graph.outputs = tensors, [node], node.outputs
    graph.inputs = [i for i in node.inputs if not constants[i]]
    whole = schema.ModelT()
    whole.version, whole.operatorCodes, whole.subgraphs, whole.buffers = 3, [code], [graph], buffers
    builder = flatbuffers.Builder(1024)
    builder.Finish(whole.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def answer(operator, mode, inputs, xnnpack=False):
    """Returns the output of an operator. Inputs are tuples (type, zero point, data). The output has the type of the first one."""
    tensors = [tensor(f"input {i}", dtype, data.shape, zero) for i, (dtype, zero, data) in enumerate(inputs)]
    tensors.append(tensor("output", inputs[0][0], [], inputs[0][1]))
    resolver = OpResolverType.AUTO if xnnpack else OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    constants = [b""] + [data.tobytes() for _, _, data in inputs[1:]]
    run = Interpreter(model_content=model(operator, mode, tensors, constants), experimental_op_resolver_type=resolver, num_threads=1)
    run.allocate_tensors()
    for i, (_, _, data) in enumerate(inputs):
        if not constants[i]:
            run.set_tensor(i, data)
    run.invoke()
    return np.array(run.get_tensor(len(inputs)))
