"""Generates random cases, compares the answers of an engine with the rules, and writes the files. All recording scripts use it.

A case is a dict that becomes one line of JSON. `README.md` one folder up documents its fields. An answer is
`{"shape": [..], "data": [..]}` or `{"error": true}`. An engine is the library that a script calls.
"""

import json
import math
import os
import random
import subprocess
import sys

import ml_dtypes
import numpy as np

import rules
# The recording scripts import some of these names from this module.
from elements import DTYPES, answer_of, data_of, decode, decode_scalar, dtype_name, encode, np_dtype, hex_bits

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.dirname(HERE)
ERROR = {"error": True}

# --- Painting --------------------------------------------------------------------------

def paint(dtype, count, plain=False):
    """Returns `count` elements that differ as much as the type allows.

    Unless `plain` is true, special values of the type are among them: signed zeros, infinities, NaNs with payloads, and extremes.
    """
    kind, bits, np_type = DTYPES[dtype_name(dtype)]
    if kind == "string":
        words = ["a", "bc", "", "Grüße", "z z", "0", "end"]
        return [words[i % 7] for i in range(count)]
    if kind == "bool":
        return [(1, 0, 0, 1, 1, 0, 1)[i % 7] for i in range(count)]
    if kind == "int":
        info = ml_dtypes.iinfo(np_type)
        lowest, highest = int(info.min), int(info.max)
        special = [] if plain or bits < 8 else [lowest, highest, highest - 1]
        if bits == 64 and not plain:
            special += [2**53 + 1, 2**24 + 1]
        if bits == 32 and not plain:
            special += [2**24 + 1]
        out = []
        for i in range(count):
            if special and i % 5 == 3:
                out.append(special[(i // 5) % len(special)])
            else:
                out.append(lowest + (i + 1 - lowest) % (highest - lowest + 1) if bits < 8 else i % 97 + 1)
        return out
    if kind == "complex":
        half = "float32" if bits == 64 else "float64"
        parts = paint(half, 2 * count, plain)
        return [[parts[2 * i], parts[2 * i + 1]] for i in range(count)]
    if kind == "bits":
        return [hex_bits((113 + 3 * i) % 255, 8) for i in range(count)]
    if bits == 4:
        return encode(np.array([(i * 7 + 1) % 16 for i in range(count)], np.uint8).view(np_type))
    if bits == 8:
        return encode(np.array([(i * 37 + 8) % 256 for i in range(count)], np.uint8).view(np_type))
    special = [] if plain else [
        {"bits": {16: "0x8000", 32: "0x80000000", 64: "0x8000000000000000"}[bits]},
        hex_bits({("bfloat16", 16): 0x7FC5, ("float16", 16): 0x7E05, ("float32", 32): 0x7FC01234,
              ("float64", 64): 0x7FF8000000ABCDEF}[(dtype_name(dtype), bits)], bits),
        hex_bits({("bfloat16", 16): 0xFF80, ("float16", 16): 0xFC00, ("float32", 32): 0xFF800000,
              ("float64", 64): 0xFFF0000000000000}[(dtype_name(dtype), bits)], bits),
        hex_bits(1, bits),
    ]
    out = []
    for i in range(count):
        if special and i % 5 == 3:
            out.append(special[(i // 5) % len(special)])
        else:
            out.append((i + 1) if i % 3 else (i + 1) * 0.5)
    return encode(decode(out, dtype))


def paint_fill(dtype, rng):
    """Returns a random fill, which is often a special value of the type."""
    kind, bits, np_type = DTYPES[dtype_name(dtype)]
    if kind == "string":
        return rng.choice(["fill", "", "é"])
    if kind == "bool":
        return rng.choice([0, 1])
    if kind == "int":
        info = ml_dtypes.iinfo(np_type)
        pool = [int(info.min), int(info.max), 1, 0]
        if bits == 64:
            pool += [2**53 + 1, 2**24 + 1]
        if bits == 32:
            pool += [2**24 + 1, 2**31 - 129]
        return rng.choice(pool)
    if kind == "complex":
        half = "float32" if bits == 64 else "float64"
        return [paint_fill(half, rng), paint_fill(half, rng)]
    if kind == "bits":
        return rng.choice([{"bits": "0x7f"}, {"bits": "0xff"}, {"bits": "0x00"}])
    if bits < 16:
        return encode(np.array([rng.randrange(1 << bits)], np.uint8).view(np_type))[0]
    infinity = {"bfloat16": 0x7F80, "float16": 0x7C00, "float32": 0x7F800000,
                "float64": 0x7FF0000000000000}[dtype_name(dtype)]
    pool = [0.1, -2.5, 7, 9, hex_bits(infinity, bits), hex_bits(1 << (bits - 1), bits)]
    return encode(decode([rng.choice(pool)], dtype))[0]


# --- Drawing ---------------------------------------------------------------------------

def draw_shape(rng, rank, zero=0.06, most=48):
    """Returns a random shape of at most `most` elements. Some lengths are 1, and a few are 0."""
    while True:
        pool = [1, 2, 3, 4, 5, 6, 7] if rank <= 2 else [1, 1, 2, 2, 3, 4] if rank <= 4 else [1, 1, 1, 2, 2, 3]
        shape = [0 if rng.random() < zero else rng.choice(pool) for _ in range(rank)]
        if math.prod(shape) <= most:
            return shape


def draw_pad(rng, d, style):
    """Returns a random pad for one side of an axis of length d. A negative pad is a crop."""
    if style == "none":
        return 0
    if style == "short":
        return rng.randint(0, max(0, min(3, d - 1)))
    if style == "long":
        return rng.randint(0, 2 * d + 3)
    if style == "periods":
        return rng.randint(d, 4 * d + 3)
    if style == "crop":
        return -rng.randint(0, max(0, d - 1))
    if style == "cropall":
        return -rng.randint(max(0, d - 1), d + 1)
    if style == "overcrop":
        return -rng.randint(d + 1, d + 4)
    raise ValueError(style)


SIGNED = ["none", "short", "short", "long", "periods", "crop", "crop", "cropall", "overcrop"]
UNSIGNED_STYLES = ["none", "short", "short", "long", "periods"]
SHORT = ["none", "short", "short"]


def draw_pads(rng, shape, styles, most=72, interior=False):
    """Returns (low, high, interior) for at most `most` output elements. A few of these output shapes have a negative length."""
    for _ in range(2000):
        low = [draw_pad(rng, d, rng.choice(styles)) for d in shape]
        high = [draw_pad(rng, d, rng.choice(styles)) for d in shape]
        inner = [rng.choice([0, 0, 1, 2, 3]) if interior else 0 for _ in shape]
        spread = [0 if d == 0 else (d - 1) * (r + 1) + 1 for d, r in zip(shape, inner)]
        out = [l + s + h for l, s, h in zip(low, spread, high)]
        if any(o < 0 for o in out) and rng.random() < 0.7:
            continue
        if math.prod(max(0, o) for o in out) <= most:
            return low, high, inner
    return [0] * len(shape), [0] * len(shape), [0] * len(shape)


def case(dialect, dtype, shape, low, high, mode="constant", *, data=None, plain=False, **rest):
    """Returns a case without answers. Its keys are in the order of the format."""
    out = {"dialect": dialect, "dtype": dtype, "shape": list(shape),
           "data": paint(dtype, math.prod(shape), plain) if data is None else list(data),
           "low": list(low), "high": list(high), "mode": mode}
    out.update({key: value for key, value in rest.items() if value is not None})
    return out


ORDER = ["id", "dialect", "version", "flavour", "frame", "dtype", "shape", "data", "low", "high",
         "interior", "axes", "npad", "mode", "value", "expect", "source", "args", "answers", "flags"]


# --- Recording -------------------------------------------------------------------------

class Recorder:
    """Collects the cases of one file.

    `run(case)` returns the answer of the engine, or None if it gives no answer. `explain(case, ours, theirs)` returns the flags
    that explain a difference between the rules and the engine, or None. An unexplained difference stops the recording.
    """

    def __init__(self, stem, engine, source, run, explain=None):
        self.stem, self.engine, self.source = stem, engine, source
        self.run, self.explain = run, explain or (lambda *_: None)
        self.lines, self.seen, self.names, self.unexplained = [], set(), set(), []

    def add(self, name, one, flags=(), answers=None, source=None, engine=None, run=None):
        """Runs a case on the engine, compares the answer, and adds the line. Returns False if the case was added before."""
        engine, run = engine or self.engine, run or self.run
        key = json.dumps([one, engine], sort_keys=True)
        if key in self.seen:
            return False
        self.seen.add(key)
        if name in self.names:
            raise ValueError(f"two cases called {name}")
        self.names.add(name)
        ours = rules.expect(one)
        theirs = run(one)
        flags = list(flags) + [f for f in rules.classes(one) if f not in flags]
        answers = dict(answers or {})
        if theirs is None:
            if not rules.NO_ANSWER & set(flags):  # no repeatable answer exists
                raise ValueError(f"{name}: the engine died")
        elif theirs != ours:
            reasons = self.explain(one, ours, theirs) or [f for f in flags if f in rules.OWN_CLASSES]
            if not reasons:
                self.unexplained.append((name, one, ours, theirs))
            flags += [f for f in reasons if f not in flags]
            answers = {engine: theirs, **answers}
        line = {"id": f"{self.stem}/{name}", **one, "expect": ours, "source": source or self.source}
        if answers:
            line["answers"] = answers
        if flags:
            line["flags"] = flags
        self.lines.append({key: line[key] for key in ORDER if key in line})
        return True

    def write(self):
        if self.unexplained:
            for name, one, ours, theirs in self.unexplained[:12]:
                print(f"UNEXPLAINED {self.stem}/{name}\n  case   {json.dumps(one)}\n"
                      f"  ours   {json.dumps(ours)}\n  theirs {json.dumps(theirs)}", file=sys.stderr)
            raise SystemExit(f"{self.stem}: {len(self.unexplained)} unexplained differences")
        write_lines(self.stem, self.lines)


def write_lines(stem, lines):
    path = os.path.join(VECTORS, f"{stem}.jsonl")
    with open(path, "w", encoding="utf-8", newline="\n") as out:
        for line in lines:
            out.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
    errors = sum("error" in line["expect"] for line in lines)
    differ = sum("answers" in line for line in lines)
    print(f"{stem}.jsonl: {len(lines)} cases, {errors} refused, {differ} with other answers, "
          f"{os.path.getsize(path)} bytes")


def quota(rng, count, refused, make):
    """Yields `count` pairs (index, case), with cases from `make(rng, index)`.

    By the rules, at most the share `refused` of the cases are errors.
    """
    done = bad = 0
    tries = 0
    while done < count:
        tries += 1
        if tries > 200 * count:
            raise RuntimeError("cannot draw enough cases")
        one = make(rng, done)
        if one is None:
            continue
        if "error" in rules.expect(one):
            if bad >= refused * count:
                continue
            bad += 1
        yield done, one
        done += 1


def main(run, record, variants=None):
    """Runs a recording script.

    `SCRIPT` records the cases. `SCRIPT --answer [VARIANT]` reads one case per line from stdin, and prints its answer. `variants`
    maps names to functions that replace `run`.
    """
    if sys.argv[1:2] != ["--answer"]:
        record()
        return
    ask = (variants or {})[sys.argv[2]] if len(sys.argv) > 2 else run
    for line in sys.stdin:
        print(json.dumps(ask(json.loads(line))), flush=True)


def ask_in_a_process(script, one, extra=(), seconds=None):
    """Runs one case in its own process, and returns the answer.

    Returns None if the process crashes. If `seconds` is given, also returns None if there is no answer in this time.
    """
    try:
        done = subprocess.run([sys.executable, os.path.join(HERE, script), "--answer", *extra],
                              input=json.dumps(one) + "\n", capture_output=True, text=True, timeout=seconds or 120)
    except subprocess.TimeoutExpired:
        if seconds is None:
            raise
        return None
    lines = [text for text in done.stdout.splitlines() if text.startswith(("{", "null"))]
    return json.loads(lines[-1]) if done.returncode == 0 and lines else None


def seeded(name):
    return random.Random(f"pad vectors: {name}")
