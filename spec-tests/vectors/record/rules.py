"""Computes the right answer of a case. Each dialect first checks the call, and then `formulas.pad` pads.

A dialect is the framework whose rules a case follows, such as `onnx`. `expect(case)` returns the answer, and uses only fields
that describe the call. `classes(case)` returns the flags of the known bugs that the case would find in any library.

The function of a dialect returns low pads, high pads, interior padding, frame and fill. If the call is an error, it raises
`Refused`.
"""

import math

import numpy as np

import elements
import formulas
import numbers_as
from formulas import Refused

FIVE = ("constant", "edge", "reflect", "symmetric", "wrap")

FLOATS = ["float16", "float32", "float64"]
INTS = ["int8", "int16", "int32", "int64"]
UINTS = ["uint8", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
FLOAT8 = ["float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"]

ONNX_TYPES = {1: FLOATS}
ONNX_TYPES[11] = FLOATS + INTS + UINTS
ONNX_TYPES[13] = ONNX_TYPES[11] + ["bfloat16", "bool", "string"] + COMPLEX
ONNX_TYPES[21] = ONNX_TYPES[13] + FLOAT8 + ["int4", "uint4"]
ONNX_TYPES[23] = ONNX_TYPES[21] + ["float4e2m1"]
ONNX_TYPES[24] = ONNX_TYPES[23] + ["float8e8m0"]
ONNX_TYPES[25] = ONNX_TYPES[24] + ["int2", "uint2"]

# The CPU provider of onnxruntime has kernels for these types.
ORT_TYPES = {1: [], 2: ["float32", "float64"]}
ORT_TYPES[11] = FLOATS + ["int32", "int64", "uint32", "uint64", "int8", "uint8"]
ORT_TYPES[13] = ORT_TYPES[11] + ["bool"]

OPENVINO_TYPES = (["bool", "bfloat16", "float4e2m1", "float8e4m3fn", "float8e5m2", "float8e8m0",
                   "int4", "uint4", "uint2"] + FLOATS + INTS + UINTS)
TORCH_MIRROR_TYPES = ["bfloat16", "int8", "uint8", "int16", "int32", "int64"] + FLOATS + COMPLEX
TORCH_TYPES = TORCH_MIRROR_TYPES + ["bool", "uint16", "uint32", "uint64"] + FLOAT8 + ["float8e8m0"]
TENSORFLOW_TYPES = ["bool", "bfloat16", "string"] + FLOATS + INTS + UINTS + COMPLEX


def by_version(table, version):
    return table[max(v for v in table if v <= version)]


def refuse_if(condition, why):
    if condition:
        raise Refused(why)


def default_fill(dtype):
    kind, bits, _ = elements.DTYPES[dtype]
    if kind == "string":
        return ""
    refuse_if(kind == "bits", "float8e8m0 has no zero to default to")
    return [0, 0] if kind == "complex" else 0


def expect(case):
    """Returns the right answer of a case."""
    try:
        dtype = elements.dtype_name(case["dtype"])
        refuse_if(dtype not in elements.DTYPES, "type")
        low, high, interior, frame, fill = DIALECTS[case["dialect"]](case, dtype)
        rank = len(case["shape"])
        refuse_if(not len(low) == len(high) == len(interior) == rank, "lengths")
        if fill is None and (case["mode"] == "constant" or any(interior)):
            fill = default_fill(dtype)
        return formulas.pad(case["shape"], case["data"], low, high, interior, case["mode"], fill,
                            frame, max(8, elements.DTYPES[dtype][1]))
    except Refused:
        return {"error": True}


def plain(case):
    """Returns low, high, interior and value of the case without a change. Absent interior padding is 0."""
    return (list(case["low"]), list(case["high"]),
            list(case.get("interior", [0] * len(case["shape"]))), case.get("value"))


def core(case, dtype):
    low, high, interior, value = plain(case)
    refuse_if(case["mode"] not in FIVE, "mode")
    refuse_if(any(r < 0 for r in interior), "interior")
    return low, high, interior, case["frame"], value


def numpy(case, dtype):
    low, high, interior, value = plain(case)
    refuse_if(case["mode"] not in FIVE, "mode")
    refuse_if(value is not None and case["mode"] != "constant", "constant_values belongs to constant")
    if "pad_width" in case.get("args", {}):
        width, rank = case["args"]["pad_width"], len(case["shape"])
        low, high = numpy_widths(width, rank)
        refuse_if(rank == 0 and any(p < 0 for side in numpy_widths(width, 1) for p in side), "negative width")
    refuse_if(any(p < 0 for p in low + high), "negative width")
    if dtype == "string" and case["mode"] == "constant" and value is None:
        value = "0"                               # numpy converts its default fill 0 to a string
    return low, high, interior, "uncropped", value


def numpy_widths(width, rank):
    """Returns low and high pads from `pad_width`, which is broadcast to (rank, 2). The keys of a dict are axes."""
    if isinstance(width, dict):
        pairs = [(0, 0)] * rank
        for axis, pair in width.items():
            axis = int(axis)
            refuse_if(not -rank <= axis < rank, "axis")
            pairs[axis] = (pair, pair) if isinstance(pair, int) else tuple(pair)
        refuse_if(any(len(pair) != 2 for pair in pairs), "widths")
    elif isinstance(width, float):
        raise Refused("widths are integers")
    elif isinstance(width, int):
        pairs = [(width, width)] * rank
    elif all(isinstance(item, int) for item in width):
        refuse_if(len(width) not in (1, 2), "widths")
        pairs = [(width[0], width[-1])] * rank
    else:
        refuse_if(len(width) not in (1, rank) or any(len(item) not in (1, 2) for item in width), "widths")
        refuse_if(len({len(item) for item in width}) != 1, "widths")
        rows = width * rank if len(width) == 1 else width
        pairs = [(row[0], row[-1]) for row in rows[:rank]]
    refuse_if(any(not isinstance(p, int) for pair in pairs for p in pair), "widths are integers")
    return [a for a, _ in pairs], [b for _, b in pairs]


def onnx(case, dtype):
    version, runtime, evaluator = case["version"], case["flavour"] == "onnxruntime", case["flavour"] == "evaluator"
    low, high, interior, value = plain(case)
    mode, shape, args = case["mode"], case["shape"], case.get("args", {})
    refuse_if(runtime and version > 26, "opset")
    refuse_if(dtype not in by_version(ORT_TYPES if runtime else ONNX_TYPES, version), "type")
    modes = ["constant", "edge", "reflect"] + (["wrap"] if runtime or evaluator or version >= 19 else [])
    refuse_if(mode not in modes, "mode")
    refuse_if((runtime or evaluator) and not shape, "rank 0")
    refuse_if("pads_shape" in args and not (runtime and args["pads_shape"] == [1, 2 * len(low)]), "pads are 1-D")
    if "value_shape" in args:
        refuse_if(not runtime or math.prod(args["value_shape"]) != 1, "the value is a scalar")
    if "axes" in case:
        refuse_if(version < 18, "no axes before 18")
        low, high = onnx_axes(case, low, high, len(shape), runtime)
    refuse_if(not len(low) == len(high) == len(shape), "lengths")
    refuse_if(version == 1 and not evaluator and any(p < 0 for p in low + high), "paddings count elements")
    for d, lo, hi in zip(shape, low, high) if evaluator else ():
        w = d + min(lo, 0) + min(hi, 0)
        refuse_if(mode != "constant" and w < 0, "overcropped")
        refuse_if(mode == "reflect" and max(lo, hi, 0) > w - 1, "reflect beyond what is left")
    if version < 11:
        attribute = elements.f32_attribute(0.0 if value is None else value)
        with np.errstate(over="ignore", invalid="ignore"):
            value = elements.encode(attribute.astype(elements.np_dtype(dtype)))[0]
    if runtime and mode != "constant":
        for d, lo, hi in zip(shape, low, high):
            w = max(0, d + min(lo, 0) + min(hi, 0))
            if 0 in shape:
                refuse_if(mode == "wrap", "wrap of an empty tensor")
            else:
                refuse_if(w == 0, "nothing left")
                longest = max(lo, hi, 0)
                refuse_if(mode == "reflect" and longest > 0 and (w < 2 or longest > w - 1), "reflect beyond the data")
    return low, high, interior, "cropped", value


def onnx_axes(case, low, high, rank, last_wins):
    axes = case["axes"]
    refuse_if(not len(axes) == len(low) == len(high), "lengths")
    refuse_if(any(not -rank <= a < rank for a in axes), "axis")
    axes = [a % rank for a in axes]
    refuse_if(len(set(axes)) != len(axes) and not last_wins, "repeated axis")
    full = [0] * rank, [0] * rank
    for axis, lo, hi in zip(axes, low, high):
        full[0][axis], full[1][axis] = lo, hi
    return full


def openvino(case, dtype):
    low, high, interior, value = plain(case)
    mode, shape = case["mode"], case["shape"]
    refuse_if(mode not in FIVE[:4], "mode")
    if dtype == "string":
        refuse_if(case["version"] < 12 or mode != "constant", "strings: Pad-12, constant")
    else:
        refuse_if(dtype not in OPENVINO_TYPES, "type")
    refuse_if(not len(low) == len(high) == len(shape), "lengths")
    refuse_if(case["version"] == 1 and case.get("flavour") != "engine" and any(p < 0 for p in low + high), "Pad-1 is non-negative")
    for i, d in enumerate(shape):
        longest = max(low[i], high[i])
        if mode == "reflect":
            refuse_if(longest > d - 1, "reflect beyond the data")
        if mode == "symmetric":
            refuse_if(longest > d, "symmetric beyond the data")
        if mode == "edge":
            refuse_if(longest > 0 and d == 0, "nothing to repeat")
        if case.get("args", {}).get("clamp") and d + low[i] + high[i] < 0:
            low[i], high[i] = -d, 0
    return low, high, interior, "uncropped", value if mode == "constant" else None


def ngraph(case, dtype):
    low, high, interior, value = plain(case)
    version, mode, shape = case["version"], case["mode"], case["shape"]
    refuse_if(version != "v1" and value is None and dtype != "string", "the value is an input")
    refuse_if(not len(low) == len(high) == len(interior) == len(shape), "lengths")
    refuse_if(any(r < 0 for r in interior), "interior")
    if version == "v0-interior":
        refuse_if(mode != "constant", "no modes yet")
        refuse_if(any(p < 0 for p in low + high), "unsigned")
    refuse_if(version == "v1" and any(interior), "no interior")
    refuse_if(mode not in FIVE[:4], "mode")
    for axis, (d, lo, hi) in enumerate(zip(shape, low, high)):
        if axis > 1 or max(lo, hi) > 0:
            refuse_if(mode == "edge" and d < 1, "edge needs an element")
            refuse_if(mode == "reflect" and d < 2, "reflect needs two elements")
    return low, high, interior, "uncropped", value


def xla(case, dtype):
    low, high, interior, value = plain(case)
    refuse_if(case["mode"] != "constant" or value is None, "constant, with its value")
    refuse_if(dtype == "string", "type")
    refuse_if(any(r < 0 for r in interior), "interior")
    return low, high, interior, "uncropped", value


def torch(case, dtype):
    low, high, interior, value = plain(case)
    mode, shape, rank = case["mode"], case["shape"], len(case["shape"])
    if "pad" in case.get("args", {}):
        flat = case["args"]["pad"]
        refuse_if(len(flat) % 2 or len(flat) > 2 * rank, "pad: pairs, at most one per axis")
        npad = len(flat) // 2
        low = [0] * (rank - npad) + flat[0::2][::-1]
        high = [0] * (rank - npad) + flat[1::2][::-1]
    else:
        npad = case.get("npad", rank)
        refuse_if(not len(low) == len(high) == rank, "lengths")
        refuse_if(npad > rank, "more pairs than axes")
    refuse_if(dtype not in TORCH_TYPES, "type")
    if mode == "constant":
        for d, lo, hi in zip(shape, low, high):
            refuse_if(-lo > d or -hi > d or d + min(lo, 0) + min(hi, 0) < 0, "narrow() below zero")
        if value is None and max(low + high, default=0) <= 0:
            value = 0                             # nothing reads it, so float8e8m0 needs no zero
        return low, high, interior, "cropped", value
    refuse_if(value is not None, "a value belongs to constant")
    refuse_if(mode not in ("edge", "reflect", "wrap"), "mode")
    refuse_if(npad not in (1, 2, 3) or rank not in (npad + 1, npad + 2), "rank")
    outs = [d + lo + hi for d, lo, hi in zip(shape, low, high)]
    padded = range(rank - npad, rank)
    if mode == "wrap":
        for i in padded:
            w = shape[i] + min(low[i], 0) + min(high[i], 0)
            refuse_if(max(low[i], high[i]) > shape[i], "more than once around")
            refuse_if(2 - 2 * shape[i] <= high[i] < -shape[i], "slices of different lengths")
            refuse_if(min(outs) > 0 and max(low[i], high[i]) > max(w, 0), "undefined after the crop")
        return low, high, interior, "cropped", None
    refuse_if(dtype not in TORCH_MIRROR_TYPES, "type")
    for i in padded:
        refuse_if(mode == "reflect" and max(low[i], high[i]) >= shape[i], "reflect beyond the data")
        refuse_if(outs[i] < 1, "empty output")
    batch = 0 if rank == npad + 2 else None
    refuse_if(any(d == 0 for i, d in enumerate(shape) if i != batch), "only the batch may be empty")
    return low, high, interior, "uncropped", None


def tensorflow(case, dtype):
    low, high, interior, value = plain(case)
    mode, shape = case["mode"], case["shape"]
    refuse_if(dtype not in TENSORFLOW_TYPES, "type")
    refuse_if(mode not in ("constant", "reflect", "symmetric"), "mode")
    refuse_if(not len(low) == len(high) == len(shape), "lengths")
    refuse_if(any(p < 0 for p in low + high), "negative")
    refuse_if(len(shape) > (8 if mode == "constant" else 5), "rank")
    for d, lo, hi in zip(shape, low, high):
        refuse_if(mode == "reflect" and max(lo, hi) >= d, "reflect beyond the data")
        refuse_if(mode == "symmetric" and max(lo, hi) > d, "symmetric beyond the data")
    # Pad joins neighbouring axes without pads, and copies empty outputs.
    bare = [lo == hi == 0 for lo, hi in zip(low, high)]
    joined = sum(a and b for a, b in zip(bare, bare[1:]))
    refuse_if(len(shape) - joined > 6 and not any(d == 0 and b for d, b in zip(shape, bare)), "more than 6 axes after the merge")
    return low, high, interior, "uncropped", value if mode == "constant" else None


LITERT_TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32"]
LITERT_CARRIED = LITERT_TYPES + ["float64", "complex64", "uint16", "uint32", "uint64"]
ZERO_POINTS = {"uint8": (0, 255), "int8": (-128, 127), "int16": (-2**15, 2**15 - 1)}


def litert(case, dtype):
    low, high, interior, value = plain(case)
    operator, mode, shape, args = case["version"], case["mode"], case["shape"], case.get("args", {})
    mirror = operator == "MIRROR_PAD"
    refuse_if(mode not in (("reflect", "symmetric") if mirror else ("constant",)), "mode")
    taken = {"MIRROR_PAD": LITERT_CARRIED, "DILATE": LITERT_CARRIED + ["complex128"]}.get(operator, LITERT_TYPES)
    refuse_if(dtype not in taken, "type")
    refuse_if(not len(low) == len(high) == len(interior) == len(shape), "lengths")
    refuse_if(any(p < 0 for p in low + high), "negative")
    refuse_if(any(d + lo + hi >= 2**31 for d, lo, hi in zip(shape, low, high)), "int32")
    if operator == "DILATE":
        refuse_if(any(low + high) or not shape or 0 in shape, "a tensor with elements, without borders")
        refuse_if(any(not 0 <= r < 2**31 - 1 for r in interior), "dilations from 1 up")
        refuse_if(any(d + (d - 1) * r >= 2**31 for d, r in zip(shape, interior)), "int32")
        refuse_if(value is None, "value")
        return low, high, interior, "uncropped", value
    refuse_if(any(interior), "interior")
    point = args.get("zero_point") if dtype in ZERO_POINTS else None
    if mirror:
        refuse_if(dtype == "int16" and point, "the zero point of int16 is 0")
        for d, lo, hi in zip(shape, low, high):
            refuse_if(max(lo, hi) > (d - 1 if mode == "reflect" else d), "beyond the data")
        return low, high, interior, "uncropped", None
    refuse_if(len(shape) > 5, "rank")
    if operator == "PADV2":
        refuse_if(value is None, "value")
        compared = dtype == "uint8" or point is not None
        refuse_if(compared and dtype in ZERO_POINTS and args.get("value_zero_point", point) != point, "zero point of the value")
        return low, high, interior, "uncropped", value
    refuse_if(point is not None and not ZERO_POINTS[dtype][0] <= point <= ZERO_POINTS[dtype][1], "zero point")
    return low, high, interior, "uncropped", point


OPENCV_TYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32", "float64"]


def opencv(case, dtype):
    low, high, interior, value = plain(case)
    mode, shape, args = case["mode"], case["shape"], case.get("args", {})
    refuse_if(mode not in FIVE, "mode")
    refuse_if(dtype not in OPENCV_TYPES, "type")
    refuse_if(not len(low) == len(high) == len(shape) or any(interior), "lengths")
    refuse_if(len(shape) not in (2, 3) or len(shape) == 3 and not 1 <= shape[2] <= 128, "no image")
    refuse_if(any(p < 0 for p in low + high) or len(shape) == 3 and (low[2] or high[2]), "only rows and columns are added")
    for i, (start, end) in enumerate(args.get("roi", [[0, d] for d in shape[:2]])):
        refuse_if(not 0 <= start <= end <= shape[i], "the region is not in the image")
        refuse_if(end - start + low[i] + high[i] >= 2**31, "int")
        behind = shape[i] - end
        refuse_if(args.get("isolated") and (low[i] and start or high[i] and behind), "cropped and padded: two steps")
        low[i], high[i] = low[i] - start, high[i] - behind
    scalar = [0.0] * 4
    if isinstance(value, list):
        refuse_if(len(value) > 4, "Scalar")
        scalar = [numbers_as.number_of(v) for v in value] + scalar[len(value):]
    elif value is not None:
        scalar = [numbers_as.number_of(value)] * 4
    if mode != "constant":
        return low, high, interior, "cropped", None
    channels = (shape + [1])[2]
    refuse_if(channels > 4 and any(v != scalar[0] for v in scalar), "one value for more than four channels")
    fills = [numbers_as.saturated(v, dtype) for v in scalar[:channels]]
    if any(fill != fills[0] for fill in fills):
        # A tuple has one fill for each position of the last axis.
        return low, high, interior, "cropped", tuple(fills)
    return low, high, interior, "cropped", fills[0]


SCIPY_WORDS = {"nearest": "edge", "mirror": "reflect", "reflect": "symmetric", "grid-mirror": "symmetric", "constant": "constant",
               "grid-constant": "constant", "grid-wrap": "wrap", "wrap": "wrap"}
SCIPY_TYPES = ["bool", "float32", "float64"] + INTS + UINTS


def scipy(case, dtype):
    low, high, interior, value = plain(case)
    filtering, word = case["flavour"] == "filter", case.get("args", {}).get("mode")
    refuse_if(case["mode"] not in FIVE, "mode")
    if word is not None:
        refuse_if(word not in SCIPY_WORDS or word == "wrap" and not filtering, "mode")
        assert SCIPY_WORDS[word] == case["mode"], case
    refuse_if(dtype not in SCIPY_TYPES + (COMPLEX if not filtering else []), "type")
    refuse_if(not len(low) == len(high) == len(case["shape"]) or any(interior), "lengths")
    refuse_if(not case["shape"], "rank 0")
    refuse_if(filtering and any(p < 0 for p in low + high), "negative")
    if case["mode"] != "constant" or max(low + high) <= 0:
        return low, high, interior, "uncropped", None
    number = 0.0 if value is None else numbers_as.number_of(value)
    fill = (numbers_as.exact if filtering else numbers_as.rounded)(number, dtype)
    return low, high, interior, "uncropped", fill


WEBNN_TYPES = ["float32", "float16", "int8", "int32", "int64", "uint8", "uint32", "uint64"]


def webnn(case, dtype):
    low, high, interior, value = plain(case)
    mode, shape = case["mode"], case["shape"]
    refuse_if(dtype not in WEBNN_TYPES, "type")
    refuse_if(mode not in ("constant", "edge", "reflect"), "mode")
    refuse_if(not len(low) == len(high) == len(shape) or any(interior), "lengths")
    refuse_if(any(p < 0 for p in low + high), "negative")
    refuse_if(any(d < 1 or d + lo + hi >= 2**31 for d, lo, hi in zip(shape, low, high)), "not a valid dimension")
    refuse_if(mode == "reflect" and any(max(lo, hi) >= d for d, lo, hi in zip(shape, low, high)), "reflection beyond the data")
    fill = numbers_as.cast(value, dtype) if mode == "constant" and value is not None else None
    return low, high, interior, "uncropped", fill


def coreml(case, dtype):
    low, high, interior, value = plain(case)
    mode, shape, rank = case["mode"], case["shape"], len(case["shape"])
    refuse_if(mode not in ("constant", "reflect", "edge") or any(interior), "mode")
    refuse_if(dtype not in ("float16", "float32"), "type")
    refuse_if(rank > 5, "rank")
    flat = case.get("args", {}).get("pad")
    npad = case.get("npad", rank) if flat is None else len(flat) // 2
    refuse_if(npad > rank or flat is not None and len(flat) % 2, "pairs of axes")
    if flat is not None:
        low, high = [0] * (rank - npad) + flat[0::2], [0] * (rank - npad) + flat[1::2]
    refuse_if(not len(low) == len(high) == rank, "lengths")
    refuse_if(any(low[:rank - npad] + high[:rank - npad]), "pads of axes that are not named")
    refuse_if(any(not 0 <= p < 2**31 for p in low + high), "pads count, in 32 bits")
    most = {"reflect": -1, "edge": 0}.get(mode)
    refuse_if(most is not None and any(max(low[i], high[i]) > shape[i] + most for i in range(rank - npad, rank)), "beyond the data")
    return low, high, interior, "uncropped", value if mode == "constant" else None


TENSORRT_TYPES = ["bool", "int4", "int8", "int32", "float8e4m3fn", "float16", "float32"]
TENSORRT_WORDS = {"STRICT_BOUNDS": "constant", "FILL": "constant", "CLAMP": "edge", "REFLECT": "reflect", "WRAP": "wrap"}


def tensorrt(case, dtype):
    low, high, interior, value = plain(case)
    mode, shape, args = case["mode"], case["shape"], case.get("args", {})
    refuse_if(mode not in TENSORRT_WORDS.values() or any(interior), "mode")
    word = args.get("mode")
    refuse_if(word not in (None, *TENSORRT_WORDS), "mode")
    assert word is None or TENSORRT_WORDS[word] == mode, case
    strict = word == "STRICT_BOUNDS"
    refuse_if(dtype not in TENSORRT_TYPES + (["int64", "bfloat16"] if strict or mode == "wrap" else []), "type")
    refuse_if(len(shape) > 8, "MAX_DIMS")
    refuse_if(value is not None and (strict or mode != "constant"), "the fifth input is of FILL")
    refuse_if(any(stride != 1 for stride in args.get("stride", [])), "no padding")
    refuse_if(len(args.get("stride", low)) != len(low), "lengths")
    if "axes" in case:
        low, high = onnx_axes(case, low, high, len(shape), False)
    refuse_if(not len(low) == len(high) == len(shape), "lengths")
    for d, lo, hi in zip(shape, low, high):
        start, size = -lo, d + lo + hi
        refuse_if(size < 0 or not d - (2**63 - 1) <= start <= 2**63 - 1 - size, "sizes")
        refuse_if(strict and size and not 0 <= start <= start + size <= d, "out of bounds")
    return low, high, interior, "uncropped", value


DIALECTS = {"core": core, "numpy": numpy, "onnx": onnx, "openvino": openvino, "ngraph": ngraph,
            "xla": xla, "torch": torch, "tensorflow": tensorflow, "litert": litert, "opencv": opencv, "scipy": scipy, "webnn": webnn, "coreml": coreml,
            "tensorrt": tensorrt}

# --- Bug classes -------------------------------------------------------------------------

# These flags name differences between engines. The flags of `classes` come from public issues. README.md describes all flags.
OWN_CLASSES = {
    "AttributeF32", "AxesInt32", "AxesOutOfRange", "AxesRepeated", "ClampedSize", "ComplexFill", "CropToEmpty", "DefaultOfE8M0",
    "DefaultOfString", "EmptyAxis", "ModeOutsideVersion", "NaNPayload", "NegativeRefused",
    "NegativeShape", "NegativeZeroFill", "Pad1Negative", "RankZero", "StringCut",
    "ChannelFill", "EmptyImage", "RankOfImage", "RegionIsolated", "RegionLooksOutside", "SignOfZero", "SymmetricAbove", "ThroughDouble", "TypeNarrowed", "TypeOutsideVersion", "UncheckedAxis", "UnwrittenMemory", "ValueShape", "ValueToMachine", "WidthTruncated",
    "WrapOverlaps", "ZeroPoint",
}

# An engine may give no answer to cases with these flags, or another answer in each run.
NO_ANSWER = {"EmptyImage", "NegativeShape", "SymmetricAbove", "UncheckedAxis", "UnwrittenMemory"}


def classes(case):
    """Returns the flags of the publicly reported bugs that this case would find."""
    found = []
    mode, shape = case["mode"], case["shape"]
    low, high, axes = case["low"], case["high"], case.get("axes")
    rank = len(shape)
    if axes is not None and len(axes) == len(low) == len(high) and all(-rank <= a < rank for a in axes):
        pads = [(shape[a], lo, hi) for a, lo, hi in zip(axes, low, high)]
    elif axes is None and len(low) == len(high) == rank:
        pads = list(zip(shape, low, high))
    else:
        pads = []
    mirror = mode in ("reflect", "symmetric")
    if mode == "reflect" and any(d > 1 and 0 < d <= max(lo, hi) for d, lo, hi in pads):
        found += ["ReflectReadsUnfilledPad", "ReflectOutOfBounds"]
    if mirror and any(max(lo, hi) > 2 * d - (2 if mode == "reflect" else 0) for d, lo, hi in pads if d > 1):
        found.append("ReflectManyPeriods")
    if mode == "wrap" and any(max(lo, hi) > d > 0 for d, lo, hi in pads):
        found.append("WrapManyPeriods")
    if mode == "reflect" and sum(d > 1 and max(lo, hi) > 0 for d, lo, hi in pads) > 1:
        found.append("ReflectWrongAxisOrder")
    if mode == "reflect" and any(d == 1 and max(lo, hi) > 0 for d, lo, hi in pads):
        found.append("ReflectSingleton")
    if mode != "constant" and any(min(lo, hi) < 0 < max(lo, hi) for _, lo, hi in pads):
        found.append("NegativeThenReflectOrder")
    if any(-d <= lo < 0 for d, lo, _ in pads):
        found.append("NegativeGarbage")
    if any(min(lo, hi) < 0 for _, lo, hi in pads) and case["dialect"] in ("onnx", "torch", "ngraph"):
        found.append("NegativeCast")
    if any(min(lo, hi) < -d for d, lo, hi in pads):
        found.append("NegativeBeyondAxis")
    if mode == "constant" and any(min(lo, hi) < 0 < max(lo, hi) for _, lo, hi in pads):
        found.append("CropFoldedIntoPad")
    if axes is not None:
        found += ["AxesIgnored", "AxesUnsupported"]
        if any(a < 0 for a in axes):
            found.append("NegativeAxes")
        if "value" not in case:
            found.append("EmptyOptionalInput")
    if mode == "constant" and case["dialect"] not in ("opencv", "scipy", "webnn") and beyond_f32(case):
        found.append("ConstantThroughF32")
    dtype = elements.dtype_name(case["dtype"])
    if dtype == "bool":
        found.append("DtypeBool")
    if dtype in ("int8", "uint8", "int16", "uint16"):
        found.append("DtypeSmallInts")
    if pads and not any(lo or hi for _, lo, hi in pads) and not any(case.get("interior", [])):
        found.append("ZeroPadCopiesSlowly")
    if any(d > 65535 for d in shape):
        found.append("BatchBeyond65535")
    return found


def beyond_f32(case):
    """Tells whether a float32 cannot represent the fill."""
    value, dtype = case.get("value"), elements.dtype_name(case["dtype"])
    if value is None or dtype in ("string",) or case.get("version") in (1, 2):
        return False
    if isinstance(value, dict):
        return dtype == "float64"
    if isinstance(value, list):
        return dtype == "complex128" and any(beyond_f32({"value": v, "dtype": "float64"}) for v in value)
    if dtype in ("int64", "uint64", "int32", "uint32"):
        exact = float(np.float32(value))
        return int(exact) != value
    return dtype == "float64" and float(np.float32(value)) != value
