"""Converts fills that are given as a double to elements, like OpenCV, scipy and WebNN.

The functions return an element as the format writes it. They raise `Refused` if the result of the engine depends on the machine,
or if no element equals the number.
"""

import math
import struct

import numpy as np

import elements
from formulas import Refused


def number_of(value):
    """Returns a JSON value as a double."""
    return struct.unpack("<d", struct.pack("<Q", int(value["bits"], 16)))[0] if isinstance(value, dict) else float(value)


def element(number, dtype):
    """Returns the nearest float of the type. The engines convert to float16 in two steps, through float32."""
    with np.errstate(over="ignore", invalid="ignore"):
        if dtype == "float16":
            number = np.float32(number)
        return elements.encode(np.array([number]).astype(elements.np_dtype(dtype)))[0]


def limits(dtype):
    kind, bits, np_type = elements.DTYPES[dtype]
    if kind != "int":
        return None
    info = np.iinfo(np_type)
    return int(info.min), int(info.max)


def saturated(number, dtype):
    """Converts like OpenCV."""
    if dtype == "bool":
        return int(number != 0)
    if limits(dtype) is None:
        return element(number, dtype)
    if math.isnan(number):
        raise Refused("NaN as an integer")
    least, most = limits(dtype)
    if dtype == "uint32":                         # halves are rounded away from zero
        if number <= 0:
            return 0
        if number == math.inf or math.floor(number) + (number % 1 >= 0.5) > most:
            raise Refused("beyond 32 bits")
        return math.floor(number) + (number % 1 >= 0.5)
    if math.isinf(number) or not -2**31 <= round(number) < 2**31:
        raise Refused("beyond 32 bits")
    return min(max(round(number), least), most)   # halves are rounded to even numbers


def rounded(number, dtype):
    """Converts like an interpolation of scipy."""
    if dtype == "bool":
        if number not in (0, 1):
            raise Refused("a byte that is no bool")
        return int(number)
    if limits(dtype) is None:
        return element(number, dtype)
    least, most = limits(dtype)
    if math.isnan(number):
        raise Refused("NaN as an integer")
    number = number + 0.5 if number > 0 else number - 0.5
    if number >= most + 1 and most >= 2**63 - 1:
        raise Refused("beyond 64 bits")
    return least if number < least else most if number > most else int(number)


def exact(number, dtype):
    """Converts like a filter of scipy."""
    if dtype == "bool":
        return rounded(number, dtype)
    if limits(dtype) is None:
        if not math.isnan(number) and number_of_element(element(number, dtype), dtype) != number:
            raise Refused("no element")
        return element(number, dtype)
    least, most = limits(dtype)
    if not math.isfinite(number) or number != int(number) or not least <= int(number) <= most:
        raise Refused("no element")
    return int(number)


def number_of_element(value, dtype):
    return float(elements.decode([value], dtype)[0])


def cast(value, dtype):
    """Converts like WebNN. `value` is a double, or an integer of any size."""
    number = value if isinstance(value, int) else number_of(value)
    if limits(dtype) is None:
        # numpy rounds a double to float16 in one step.
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            return elements.encode(np.array([float(number)]).astype(elements.np_dtype(dtype)))[0]
    least, most = limits(dtype)
    if isinstance(number, float):
        if math.isnan(number):
            return 0
        number = round(number) if math.isfinite(number) else least if number < 0 else most
    return min(max(number, least), most)
