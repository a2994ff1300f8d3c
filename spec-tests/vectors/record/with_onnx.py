"""Records answers of the reference evaluator of onnx in onnx.jsonl. A model that the checker of onnx refuses is an error.

From onnx 1.24 on, the evaluator accepts negative pads. The script then writes onnx_evaluator.jsonl, for the flavour `evaluator`.
"""

import warnings

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from common import ERROR, Recorder, answer_of, dtype_name, main, quota, seeded
from onnx_model import OPSETS, build, make, ours_by_hand

SOURCE = f"onnx {onnx.__version__} (reference evaluator)"
CROPS = tuple(map(int, onnx.__version__.split(".")[:2])) >= (1, 24)
STEM, FLAVOUR, ENGINE = ("onnx_evaluator", "evaluator", "onnx-evaluator") if CROPS else ("onnx", "spec", "onnx")
warnings.simplefilter("ignore")


def run(one):
    try:
        model, feeds = build(one)
        onnx.checker.check_model(model, full_check=True)
        if dtype_name(one["dtype"]) == "string":
            feeds = {k: v.astype("U12") if v.dtype == object else v for k, v in feeds.items()}
        with np.errstate(all="ignore"):
            return answer_of(ReferenceEvaluator(model).run(None, feeds)[0])
    except Exception:                             # the evaluator passes exceptions of numpy on
        return dict(ERROR)


def infer_shape(one):
    """Runs strict shape inference with constant pads and axes. Returns an error, or None if there was none."""
    model, feeds = build(one)
    for name in ("pads", "axes"):
        if name in feeds:
            model.graph.initializer.append(onnx.numpy_helper.from_array(feeds[name], name))
            kept = [i for i in model.graph.input if i.name != name]
            del model.graph.input[:]
            model.graph.input.extend(kept)
    try:
        onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
        return None
    except Exception:
        return dict(ERROR)


def explain(one, ours, theirs):
    pads = one["low"] + one["high"]
    if "error" in theirs and any(p < 0 for p in pads) and not CROPS:
        return ["NegativeRefused"]
    if "error" in theirs and not one["shape"]:
        return ["RankZero"]
    if dtype_name(one["dtype"]) == "string" and "value" not in one and one["mode"] == "constant":
        return ["DefaultOfString"]
    if dtype_name(one["dtype"]) == "float8e8m0" and "value" not in one:
        return ["DefaultOfE8M0"]
    return None


def record():
    rec = Recorder(STEM, ENGINE, SOURCE, run, explain)
    ours_by_hand(rec.add, FLAVOUR)
    rng = seeded(STEM)
    for i, one in quota(rng, 220, 0.1, make(FLAVOUR, OPSETS, 0.5 if CROPS else 0.15)):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record, {"onnx-shape-inference": infer_shape})
