"""Records answers of cv2.copyMakeBorder in opencv.jsonl."""

import cv2
import numpy as np

from common import ERROR, SHORT, UNSIGNED_STYLES, Recorder, answer_of, ask_in_a_process, case, data_of, draw_pads, draw_shape, dtype_name, main, quota, seeded
from numbers_as import number_of

SOURCE = f"opencv-python-headless {cv2.__version__} (copyMakeBorder, CPU)"
MODES = {"constant": cv2.BORDER_CONSTANT, "edge": cv2.BORDER_REPLICATE, "reflect": cv2.BORDER_REFLECT_101, "symmetric": cv2.BORDER_REFLECT,
         "wrap": cv2.BORDER_WRAP, "transparent": cv2.BORDER_TRANSPARENT}
TAKEN = ["uint8", "float32", "int16", "float64", "bool", "uint16", "int32", "int8", "uint32", "float16"]
VALUES = [0.0, 1.0, 7.0, 255.0, 2.5, 3.5, -1.5, -300.0, 70000.0, 0.1]


def run(one):
    try:
        data = np.ascontiguousarray(data_of(one))
        (top, left), (bottom, right) = one["low"][:2], one["high"][:2]
        if any(one["low"][2:] + one["high"][2:]):
            return dict(ERROR)                    # cv2 has no arguments for pads of channels
        value = one.get("value", 0)
        scalar = [number_of(v) for v in value] if isinstance(value, list) else [number_of(value)] * 4
        args = one.get("args", {})
        kind = MODES[one["mode"]] | (cv2.BORDER_ISOLATED if args.get("isolated") else 0)
        shape = list(data.shape[:2])
        if "roi" in args:
            # A region of a UMat can read the image around it. A region of a numpy array cannot.
            data = cv2.UMat(cv2.UMat(data), *args["roi"])
            shape = [end - start for start, end in args["roi"]]
        out = cv2.copyMakeBorder(data, top, bottom, left, right, kind, value=tuple(scalar))
        out = out.get() if isinstance(out, cv2.UMat) else out
        shape = [shape[0] + top + bottom, shape[1] + left + right] + one["shape"][2:]
        # For an image without pixels, cv2 returns None. It also drops an axis with one channel.
        if out is None:
            return {"shape": shape, "data": []}
        if out.dtype == data_of(one).dtype and list(out.shape) + [1] == shape:
            out = out.reshape(shape)
        if out.dtype != data_of(one).dtype:
            return {"shape": list(out.shape), "data": [int(v) for v in out.reshape(-1)]}
        return answer_of(out)
    except (cv2.error, ValueError, TypeError, OverflowError):
        return dict(ERROR)


def alone(one):
    """Runs a case in its own process, because the call may never return."""
    return ask_in_a_process("with_opencv.py", one, seconds=5)


def make(rng, i):
    dtype = TAKEN[i % len(TAKEN)]
    mode = ["constant", "edge", "reflect", "symmetric", "wrap"][(i // 3) % 5]
    shape = draw_shape(rng, 2, 0)
    channels = rng.choice([None, None, 1, 2, 3, 4, 5])
    low, high, _ = draw_pads(rng, shape, UNSIGNED_STYLES if rng.random() < 0.5 else SHORT, 40)
    if channels:
        shape, low, high = shape + [channels], low + [0], high + [0]
    value = rng.choice(VALUES) if mode == "constant" and rng.random() < 0.8 else None
    args = {}
    if rng.random() < 0.25 and dtype != "bool":
        args["roi"] = []
        for d in shape[:2]:
            start = rng.randrange(d)
            args["roi"].append([start, rng.randint(start + 1, d)])
    elif rng.random() < 0.2:
        args["isolated"] = True
    return case("opencv", dtype, shape, low, high, mode, value=value, args=args or None)


def record():
    rec = Recorder("opencv", "opencv", SOURCE, run)
    five = list(MODES)[:5]

    def c(dtype, shape, low, high, mode="constant", **rest):
        return case("opencv", dtype, shape, low, high, mode, **rest)

    for mode in five:
        rec.add(f"doc-{mode}", c("uint8", [2, 3], [1, 2], [1, 2], mode, data=[1, 2, 3, 4, 5, 6], value=9))
        for d, lo, hi in [(1, 0, 0), (1, 1, 0), (1, 3, 4), (2, 1, 1), (2, 2, 2), (2, 5, 9), (3, 2, 2), (3, 3, 3), (3, 4, 7), (3, 19, 0), (5, 0, 23), (6, 6, 5)]:
            rec.add(f"limit-{mode}-{d}-{lo}-{hi}", c("int16", [1, d], [0, lo], [0, hi], mode, plain=True))
            rec.add(f"limit-rows-{mode}-{d}-{lo}-{hi}", c("float32", [d, 2], [lo, 0], [hi, 0], mode, plain=True))
        for n, (lo, hi) in enumerate([(-1, 0), (0, -1), (-2, 3), (3, -2)]):
            rec.add(f"negative-{mode}-{n}", c("uint8", [1, 6], [0, lo], [0, hi], mode), ["NegativeRefused"])
        for channels in [1, 2, 3, 4, 5, 128, 129]:
            rec.add(f"channels-{channels}-{mode}", c("uint8", [1, 2, channels], [0, 1, 0], [0, 2, 0], mode, value=3))
        for dtype in TAKEN + ["bfloat16", "complex64", "string", "float8e5m2"]:
            rec.add(f"type-{dtype}-{mode}", c(dtype, [2, 2], [1, 0], [0, 2], mode))
        for dtype in ["int64", "uint64"]:
            rec.add(f"type-{dtype}-{mode}", c(dtype, [1, 2], [0, 0], [0, 1], mode, data=[1, 2]), ["TypeNarrowed"])
        for rank in [1, 4]:
            rec.add(f"rank-{rank}-{mode}", c("uint8", [1] * (rank - 1) + [3], [0] * rank, [0] * (rank - 1) + [1], mode), ["RankOfImage"], run=rank_1 if rank == 1 else run)
        for n, (shape, low, high) in enumerate([([0, 3], [0, 0], [0, 0]), ([0, 3], [0, 1], [0, 1]), ([3, 0], [1, 0], [0, 0]), ([0, 3], [1, 0], [1, 0]),
                                                ([3, 0], [0, 1], [0, 1]), ([0, 0], [1, 1], [1, 1])]):
            one = c("uint8", shape, low, high, mode, value=7 if mode == "constant" else None)
            # If an image has no pixels, REPLICATE copies memory outside of it, and the two mirror modes never end.
            unknown = mode in ("edge", "reflect", "symmetric") and 0 not in [d + l + h for d, l, h in zip(shape, low, high)]
            rec.add(f"empty-{mode}-{n}", one, ["EmptyImage"], run=(lambda _: None) if mode == "edge" and unknown else alone)
        for n, (roi, low, high) in enumerate([([[1, 3], [1, 4]], [2, 2], [1, 1]), ([[1, 3], [1, 4]], [1, 1], [2, 1]), ([[1, 3], [1, 4]], [0, 0], [0, 0]),
                                              ([[0, 2], [0, 3]], [2, 1], [1, 3]), ([[3, 4], [4, 5]], [1, 9], [0, 0]), ([[0, 4], [2, 3]], [0, 1], [0, 0])]):
            for isolated in (False, True):
                args = {"roi": roi, **({"isolated": True} if isolated else {})}
                one = c("uint8", [4, 5], low, high, mode, args=args, data=range(1, 21), value=99 if mode == "constant" else None)
                rec.add(f"roi-{mode}-{n}{'-isolated' if isolated else ''}", one, ["RegionIsolated"] if isolated else ["RegionLooksOutside"])
        rec.add(f"isolated-{mode}", c("uint8", [2, 3], [1, 2], [1, 2], mode, args={"isolated": True}))
    rec.add("mode-transparent", c("uint8", [2, 3], [1, 2], [1, 2], "transparent"))
    for dtype in TAKEN:
        for n, value in enumerate([0.0, -0.0, 0.4, 0.5, 1.5, 2.5, -0.5, -1.5, -5.0, 127.5, 300.0, -300.0, 40000.0, 70000.0, 1e9]):
            rec.add(f"value-{dtype}-{n}", c(dtype, [1, 1], [0, 1], [0, 0], data=[1], value={"bits": "0x8000000000000000"} if str(value) == "-0.0" else value))
        for n, value in enumerate([3e9, 1e19, -1e19, {"bits": "0x7ff8000000000000"}, {"bits": "0x7ff0000000000000"}]):
            rec.add(f"value-far-{dtype}-{n}", c(dtype, [1, 1], [0, 1], [0, 0], data=[1], value=value), ["ValueToMachine"])
    rec.add("value-1e39", c("float32", [1, 1], [0, 1], [0, 0], data=[1], value=1e39))
    rec.add("value-through-float", c("float16", [1, 1], [0, 1], [0, 0], data=[1], value=1.0004882812509095))
    for channels in (2, 3, 4):
        rec.add(f"scalar-{channels}", c("uint8", [1, 1, channels], [0, 1, 0], [0, 0, 0], data=[1] * channels, value=[3, 4, 5, 6]), ["ChannelFill"])
        rec.add(f"scalar-short-{channels}", c("uint8", [1, 1, channels], [0, 1, 0], [0, 0, 0], data=[1] * channels, value=[3]), ["ChannelFill"])
        rec.add(f"scalar-same-{channels}", c("uint8", [1, 1, channels], [0, 1, 0], [0, 0, 0], data=[1] * channels, value=[3, 2.6, 3.4, 3]), ["ChannelFill"])
    rec.add("scalar-5", c("uint8", [1, 1, 5], [0, 1, 0], [0, 0, 0], data=[1] * 5, value=[3, 3, 3, 4]), ["ChannelFill"])
    rec.add("scalar-of-five", c("uint8", [1, 1], [0, 1], [0, 0], data=[1], value=[3, 3, 3, 3, 3]), ["ChannelFill"])

    rng = seeded("opencv")
    for i, one in quota(rng, 240, 0.05, make):
        rec.add(f"draw-{i:03}", one)
    rec.write()


def rank_1(one):
    """Pads an array with one axis. cv2 returns an image with one row."""
    out = cv2.copyMakeBorder(data_of(one), 0, 0, one["low"][0], one["high"][0], MODES[one["mode"]])
    return answer_of(out)


if __name__ == "__main__":
    main(run, record)
