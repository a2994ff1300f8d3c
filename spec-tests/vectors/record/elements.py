"""Lists the element types, and converts arrays to JSON values and back."""

import math
import struct

import ml_dtypes
import numpy as np

# The tuples are (kind, bits, numpy dtype). The kind decides how an element is written in JSON.
DTYPES = {
    "bool": ("bool", 8, np.dtype(np.bool_)),
    "int2": ("int", 2, np.dtype(ml_dtypes.int2)),
    "uint2": ("int", 2, np.dtype(ml_dtypes.uint2)),
    "int4": ("int", 4, np.dtype(ml_dtypes.int4)),
    "uint4": ("int", 4, np.dtype(ml_dtypes.uint4)),
    "int8": ("int", 8, np.dtype(np.int8)),
    "uint8": ("int", 8, np.dtype(np.uint8)),
    "int16": ("int", 16, np.dtype(np.int16)),
    "uint16": ("int", 16, np.dtype(np.uint16)),
    "int32": ("int", 32, np.dtype(np.int32)),
    "uint32": ("int", 32, np.dtype(np.uint32)),
    "int64": ("int", 64, np.dtype(np.int64)),
    "uint64": ("int", 64, np.dtype(np.uint64)),
    "float4e2m1": ("float", 4, np.dtype(ml_dtypes.float4_e2m1fn)),
    "float8e4m3fn": ("float", 8, np.dtype(ml_dtypes.float8_e4m3fn)),
    "float8e4m3fnuz": ("float", 8, np.dtype(ml_dtypes.float8_e4m3fnuz)),
    "float8e5m2": ("float", 8, np.dtype(ml_dtypes.float8_e5m2)),
    "float8e5m2fnuz": ("float", 8, np.dtype(ml_dtypes.float8_e5m2fnuz)),
    "float8e8m0": ("bits", 8, np.dtype(ml_dtypes.float8_e8m0fnu)),
    "bfloat16": ("float", 16, np.dtype(ml_dtypes.bfloat16)),
    "float16": ("float", 16, np.dtype(np.float16)),
    "float32": ("float", 32, np.dtype(np.float32)),
    "float64": ("float", 64, np.dtype(np.float64)),
    "complex64": ("complex", 64, np.dtype(np.complex64)),
    "complex128": ("complex", 128, np.dtype(np.complex128)),
    "string": ("string", 0, np.dtype(object)),
}
ALIASES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "float": "float32", "double": "float64",
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}


def dtype_name(name):
    return ALIASES.get(name, name)


def np_dtype(name):
    return DTYPES[dtype_name(name)][2]


def hex_bits(pattern, bits):
    """Returns the JSON value for a bit pattern."""
    return {"bits": f"0x{pattern:0{max(1, bits // 4)}x}"}


def _float_out(value, pattern, bits):
    """Returns a JSON number if it keeps all bits of the value. Otherwise, returns the bit pattern."""
    value = float(value)
    if not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0):
        return hex_bits(pattern, bits)
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def encode(array):
    """Returns the elements of an array as JSON values, in row-major order."""
    array = np.ascontiguousarray(array)
    name = name_of(array.dtype)
    kind, bits, _ = DTYPES[name]
    flat = array.reshape(-1)
    if kind == "string":
        return [x.decode() if isinstance(x, bytes) else str(x) for x in flat]
    if kind in ("bool", "int"):
        return [int(x) for x in flat]
    if kind == "complex":
        halves = flat.view(np.float32 if bits == 64 else np.float64)
        parts = encode(halves)
        return [[parts[2 * i], parts[2 * i + 1]] for i in range(flat.size)]
    patterns = flat.view(UNSIGNED[max(8, bits)])
    if kind == "bits":
        return [hex_bits(int(p), bits) for p in patterns]
    mask = (1 << bits) - 1
    with np.errstate(invalid="ignore"):
        values = flat.astype(np.float64)
    return [_float_out(x, int(p) & mask, bits) for x, p in zip(values, patterns)]


def name_of(dtype):
    dtype = np.dtype(dtype)
    if dtype.kind in "OUST":
        return "string"
    for name, (_, _, candidate) in DTYPES.items():
        if candidate == dtype:
            return name
    raise TypeError(f"no name for {dtype}")


def decode(values, dtype, shape=None):
    """Returns the array for a list of JSON values. This is the inverse of `encode`."""
    kind, bits, np_type = DTYPES[dtype_name(dtype)]
    shape = (len(values),) if shape is None else tuple(shape)
    if kind == "string":
        out = np.empty(len(values), dtype=object)
        out[:] = values
        return out.reshape(shape)
    if kind == "complex":
        half = "float32" if bits == 64 else "float64"
        parts = decode([part for pair in values for part in pair], half)
        return parts.view(np_type).reshape(shape)
    if kind in ("bool", "int"):
        return np.array([int(x) for x in values], dtype=object).astype(np_type).reshape(shape)
    out = np.zeros(len(values), dtype=np_type)
    patterns = out.view(UNSIGNED[max(8, bits)])
    for i, x in enumerate(values):
        if isinstance(x, dict):
            patterns[i] = int(x["bits"], 16)
        elif bits == 64:
            patterns[i] = struct.unpack("<Q", struct.pack("<d", float(x)))[0]
        else:
            with np.errstate(over="ignore"):
                out[i] = np.float64(x).astype(np_type)
    return out.reshape(shape)


def decode_scalar(value, dtype):
    return decode([value], dtype, ())


def answer_of(array):
    array = np.asarray(array)
    return {"shape": list(array.shape), "data": encode(array)}


def data_of(case):
    return decode(case["data"], case["dtype"], case["shape"])


def f32_attribute(value):
    """Returns a fill as a float32. Up to opset 10, ONNX stores fills of every element type in a float32 attribute."""
    if isinstance(value, dict):
        return decode_scalar(value, "float32")
    return np.asarray(np.float32(value))
