"""Writes the test cases of Pad that the package onnx generates to the folder of this script.

    python -m pip install onnx==1.23.2
    python generate.py

Each case is a folder in the layout of ONNX's test data: model.onnx, test_data_set_0/input_N.pb and output_N.pb.
"""

import warnings
from pathlib import Path

import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

assert onnx.__version__ == "1.23.2", onnx.__version__
here = Path(__file__).parent

with warnings.catch_warnings():
    # The package also makes the cases of other operators, and these give warnings.
    warnings.simplefilter("ignore")
    cases = collect_testcases("Pad")

for case in cases:
    folder = here / case.name
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString(deterministic=True))
    graph = case.model.graph
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        for kind, arrays, values in (("input", inputs, graph.input), ("output", outputs, graph.output)):
            for i, (array, value) in enumerate(zip(arrays, values, strict=True)):
                tensor = numpy_helper.from_array(array, value.name)
                (data / f"{kind}_{i}.pb").write_bytes(tensor.SerializeToString(deterministic=True))
    print(case.name)
