"""Records answers of the CPU provider of onnxruntime in onnxruntime.jsonl."""

import onnxruntime as ort

from common import ERROR, Recorder, answer_of, case, dtype_name, main, quota, seeded
from onnx_model import OPSETS, build, make, ours_by_hand

SOURCE = f"onnxruntime {ort.__version__} (CPU provider)"
ort.set_default_logger_severity(4)


def run(one):
    model, feeds = build(one)
    options = ort.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return answer_of(session.run(None, feeds)[0])
    except Exception:                             # the exception types of onnxruntime have no common base
        return dict(ERROR)


def explain(one, ours, theirs):
    if dtype_name(one["dtype"]) == "float16" and isinstance(one.get("value"), dict):
        return ["NaNPayload"]
    return None


def record():
    rec = Recorder("onnxruntime", "onnxruntime", SOURCE, run, explain)
    ours_by_hand(rec.add, "onnxruntime")
    for version in [26, 27, 28]:
        rec.add(f"opset-{version}", case("onnx", "float32", [3], [1], [1], version=version, flavour="onnxruntime"))
    rng = seeded("onnxruntime")
    for i, one in quota(rng, 240, 0.12, make("onnxruntime", OPSETS[1:], 0.5)):
        rec.add(f"draw-{i:03}", one)
    rec.write()


if __name__ == "__main__":
    main(run, record)
