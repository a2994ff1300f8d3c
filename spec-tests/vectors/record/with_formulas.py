"""Records answers of the formulas in `formulas.py`, which follow no framework, in core.jsonl.

No engine has all of these modes and options. If an engine has a part of them, its recorded answers agree with the formulas.
"""

from common import (Recorder, case, draw_pads, draw_shape, main, paint_fill, quota, seeded, SHORT, SIGNED)
from elements import DTYPES
from rules import FIVE
import rules

SOURCE = "the formulas (record/formulas.py)"


def record():
    rec = Recorder("core", "core", SOURCE, rules.expect)

    def c(frame, dtype, shape, low, high, mode="constant", interior=None, **rest):
        return case("core", dtype, shape, low, high, mode, frame=frame, interior=interior, **rest)

    six = [1, 2, 3, 4, 5, 6]
    for frame in ["uncropped", "cropped"]:
        for mode in FIVE:
            value = {"value": 9} if mode == "constant" else {}
            for lo, hi in [(-2, 3), (3, -2), (-2, 5), (5, -2), (-6, 3), (-7, 3), (2, -7), (-3, -3), (-3, -4), (13, -4), (-5, 14), (17, 15), (-9, 20),
                           (20, -9), (-5, 0), (-5, 3), (3, -5), (6, 6), (7, 7)]:
                rec.add(f"{frame}-{mode}-{lo}-{hi}", c(frame, "int64", [6], [lo], [hi], mode, data=six, **value))
            for lo, hi, r in [(0, 0, 1), (4, 5, 2), (-3, 2, 2), (2, -3, 2), (-1, -1, 1), (-2, -2, 2), (-9, 6, 2), (6, -15, 2), (-16, 3, 2), (-17, 4, 2), (1, 1, 3)]:
                rec.add(f"{frame}-{mode}-interior-{lo}-{hi}-{r}", c(frame, "int16", [6], [lo], [hi], mode, [r], data=six, value=9))
            for n, (shape, low, high, inner) in enumerate([([0], [0], [0], [0]), ([0], [1], [2], [3]), ([0], [-1], [1], [0]), ([0], [-1], [2], [0]),
                                                           ([0, 3], [0, 1], [0, 1], [0, 0]), ([0, 3], [1, 0], [0, 0], [0, 0]), ([0, 3], [0, -3], [0, 1], [0, 0]),
                                                           ([3, 0], [-3, 0], [2, 0], [0, 0]), ([1], [4], [5], [0]), ([1], [3], [2], [7]), ([2], [5], [6], [0]),
                                                           ([], [], [], []), ([1, 1], [2, 1], [1, 2], [0, 0]), ([2, 3], [-2, 1], [1, 0], [0, 0])]):
                rec.add(f"{frame}-{mode}-shape-{n}", c(frame, "float32", shape, low, high, mode, inner, value=7))
        for n, (low, high, inner) in enumerate([([1], [1, 1], [0]), ([1, 1], [1, 1], [0, 0]), ([0], [0], [-1]), ([2**62], [2**62], [0]), ([0], [0], [2**62]),
                                                ([2**63 - 1], [1], [0]), ([2**63 - 1], [2**63 - 1], [1]), ([], [], [])]):
            rec.add(f"{frame}-refused-{n}", c(frame, "float32", [3], low, high, "constant", inner))
        for mode in FIVE:                         # small outputs with coordinates beyond 64 bits
            for n, (lo, hi) in enumerate([(-2**63, 2**63 - 1), (2**63 - 1, -2**63), (2**63 - 4, 3 - 2**63), (-2**63, 2**63 - 3), (-2**62, 2**62)]):
                rec.add(f"{frame}-extreme-{mode}-{n}", c(frame, "int32", [3], [lo], [hi], mode, data=[1, 2, 3], value=9))
        rec.add(f"{frame}-mode", c(frame, "float32", [3], [1], [1], "circular"))
        rec.add(f"{frame}-batch", c(frame, "int8", [65537, 1], [-65530, 1], [0, 2], "reflect", data=[i % 7 for i in range(65537)]))
        for dtype in DTYPES:
            if dtype != "float8e8m0":
                rec.add(f"{frame}-default-{dtype}", c(frame, dtype, [3], [2], [-1], interior=[1]))
            rec.add(f"{frame}-wrap-{dtype}", c(frame, dtype, [3, 3], [1, 2], [0, 3], "wrap"))
        rec.add(f"{frame}-default-float8e8m0", c(frame, "float8e8m0", [2], [1], [1]))
        for dtype in ["int4", "uint4", "float4e2m1", "int2", "uint2"]:
            for n, (shape, low, high, mode) in enumerate([([3], [1], [1], "constant"), ([3, 3], [0, 1], [0, 0], "edge"), ([5], [-1], [2], "reflect"),
                                                          ([3, 3], [1, -1], [0, 2], "symmetric"), ([7], [2], [0], "wrap"), ([2, 3], [0, 0], [1, 1], "constant"),
                                                          ([1, 5], [0, 0], [0, -2], "constant"), ([4, 1], [0, 3], [0, 3], "edge")]):
                rec.add(f"{frame}-packed-{dtype}-{n}", c(frame, dtype, shape, low, high, mode, value=paint_fill(dtype, seeded(f"{dtype}{n}"))))

    def make(rng, i):
        dtype = list(DTYPES)[i % len(DTYPES)]
        mode = FIVE[(i // 2) % 5]
        rank = rng.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 8])
        shape = draw_shape(rng, rank)
        low, high, inner = draw_pads(rng, shape, SIGNED if rank < 4 else SHORT + ["crop"], interior=i % 3 == 0)
        return c(["uncropped", "cropped"][i % 2], dtype, shape, low, high, mode, inner if i % 3 == 0 else None, value=paint_fill(dtype, rng))

    rng = seeded("core")
    for i, one in quota(rng, 300, 0.08, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(rules.expect, record)
