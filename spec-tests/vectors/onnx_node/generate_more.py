"""Writes models whose pads are constants, and models that this project must refuse, to the folder of this script.

    python -m pip install onnx==1.23.2
    python generate_more.py

With torch 2.15.0 and onnxscript 0.7.2, `python generate_more.py torch` also writes a model that torch exports. The reference
evaluator of onnx computes the outputs.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

assert onnx.__version__ == "1.23.2", onnx.__version__
here = Path(__file__).parent
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64
PADS = [1, 0, 0, 2]


def tensor(name, elem_type, dims, values, **kwargs):
    return helper.make_tensor(name, elem_type, dims, values, **kwargs)


def constant(name, **attributes):
    return helper.make_node("Constant", [], [name], **attributes)


def pad(*inputs, output="y", **attributes):
    return helper.make_node("Pad", ["x", *inputs], [output], **attributes)


def model(*nodes, x=(FLOAT, ["N", 3]), inputs=(), initializers=(), sparse=(), outputs=("y",), opset=21, functions=()):
    """Returns a model with these nodes. An input is (name, element type, shape), or (name, type) for types other than tensors."""
    infos = []
    for name, *described in [("x", *x), *inputs]:
        typed = described[0] if isinstance(described[0], onnx.TypeProto) else helper.make_tensor_type_proto(*described)
        infos.append(helper.make_value_info(name, typed))
    graph = helper.make_graph(
        nodes,
        "pad",
        infos,
        [helper.make_tensor_value_info(name, x[0] if isinstance(x[0], int) else FLOAT, None) for name in outputs],
        initializers,
    )
    graph.sparse_initializer.extend(sparse)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=functions)


def save(path, message):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(message.SerializeToString(deterministic=True))


def case(name, made, x):
    """Writes a model that runs, with its input and output, in the layout of ONNX's test data."""
    save(here / name / "model.onnx", made)
    y = ReferenceEvaluator(made).run(None, {made.graph.input[0].name: x})[0]
    for kind, array in (("input", x), ("output", y)):
        save(here / name / f"test_data_set_0/{kind}_0.pb", numpy_helper.from_array(array, kind))
    print(name, y.dtype, y.shape)


def torch_model():
    import torch

    class Pad(torch.nn.Module):
        def forward(self, x):
            return torch.nn.functional.pad(x, (1, 2, 0, 3), "constant", 1.5)

    made = torch.onnx.export(Pad(), (torch.zeros(1, 2, 4, 5),), dynamo=True, optimize=False).model_proto
    # The metadata contains paths of the machine.
    for part in (made, made.graph, *made.graph.node, *made.graph.input, *made.graph.output, *made.graph.value_info):
        part.ClearField("metadata_props")
    return made


x = np.arange(6, dtype=np.float32).reshape(2, 3)
pads = tensor("", INT64, [4], PADS)
case("constants_value", model(constant("p", value=pads), constant("v", value=tensor("", FLOAT, [], [1.5])), pad("p", "v")), x)
case("constants_ints", model(constant("p", value_ints=PADS), constant("v", value_float=1.5), pad("p", "v")), x)
case(
    "constants_axes",
    model(constant("p", value_ints=[2, 1]), constant("a", value_ints=[-1]), pad("p", "", "a", mode="reflect")),
    x,
)
case(
    "constants_int",
    model(constant("p", value_ints=PADS), constant("v", value_int=-7), pad("p", "v"), x=(INT64, ["N", 3])),
    x.astype(np.int64),
)
case(
    "constants_string",
    model(constant("p", value_ints=PADS), constant("v", value_string="no"), pad("p", "v"), x=(TensorProto.STRING, None)),
    x.astype(str).astype(object),
)
# In this model, the pads come from a Constant, the value from an input with an initializer, and the axes of x have no fixed
# length.
case(
    "constants_and_initializers",
    model(
        constant("p", value_ints=PADS),
        pad("p", "v"),
        x=(FLOAT, ["N", None]),
        inputs=[("v", FLOAT, [])],
        initializers=[tensor("v", FLOAT, [], [1.5])],
    ),
    x,
)
if "torch" in sys.argv:
    case("torch_constant_pad", torch_model(), np.arange(40, dtype=np.float32).reshape(1, 2, 4, 5))

p = constant("p", value_ints=PADS)
stored = tensor("p", INT64, [4], PADS)
relu = helper.make_node("Relu", ["x"], ["z"])
branch = helper.make_graph([pad("p")], "branch", [], [helper.make_tensor_value_info("y", FLOAT, None)])
external = tensor("p", INT64, [4], np.array(PADS, "<i8").tobytes(), raw=True)
onnx.external_data_helper.set_external_data(external, "weights.bin")
external.ClearField("raw_data")
sparse = helper.make_sparse_tensor(tensor("p", INT64, [1], [1]), tensor("i", INT64, [1], [0]), [4])
own = helper.make_function("", "Pad", ["x", "p"], ["y"], [helper.make_node("Relu", ["x"], ["y"])], [helper.make_opsetid("", 21)])
text = helper.make_tensor_type_proto(TensorProto.STRING, None)

for name, made in {
    "another_operator": model(p, relu, pad("p")),
    "another_domain": model(p, helper.make_node("Pad", ["x", "p"], ["y"], domain="own")),
    "two_pads": model(p, pad("p"), pad("p", output="z"), outputs=("z",)),
    "no_pad": model(p, outputs=("p",)),
    "subgraph": model(p, helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch), inputs=[("c", TensorProto.BOOL, [])]),
    "function": model(p, pad("p"), functions=[own]),
    "unknown_opset": model(p, pad("p"), opset=99),
    "negative_opset": model(p, pad("p"), opset=-1),
    "another_output": model(p, pad("p"), outputs=("y", "p")),
    "unknown_attribute": model(p, pad("p", depth=2)),
    "old_attribute": model(pad(pads=PADS)),
    "attribute_of_another_type": model(pad(pads=PADS, value=1), opset=2),
    "external_initializer": model(pad("p"), initializers=[external]),
    "external_constant": model(constant("p", value=external), pad("p")),
    "sparse_initializer": model(pad("p"), sparse=[sparse]),
    "sparse_constant": model(constant("p", sparse_value=sparse), pad("p")),
    "constant_of_a_later_opset": model(p, pad("p"), opset=11),
    "constant_of_two": model(constant("p", value_ints=PADS, value_int=1), pad("p")),
    "constant_is_an_input": model(p, pad("p"), inputs=[("p", INT64, [4])]),
    "two_values": model(p, pad("p"), initializers=[stored]),
    "default_of_another_shape": model(pad("p"), inputs=[("p", INT64, [8])], initializers=[stored]),
    "sequence": model(p, pad("p"), x=(helper.make_sequence_type_proto(text),)),
    "optional": model(p, pad("p"), x=(helper.make_optional_type_proto(text),)),
    "unknown_element": model(p, pad("p"), x=(99, [2])),
    "five_inputs": model(p, pad("p", "", "", "p")),
    # Reading the following models gives no error, but running them does.
    "missing_input": model(pad("p"), inputs=[("p", INT64, [4])]),
    "missing_pads": model(pad()),
    "unmade_pads": model(pad("q")),
    "float_pads": model(constant("p", value_floats=[1.0, 0.0, 0.0, 2.0]), pad("p")),
    "fill_of_another_type": model(p, constant("v", value_int=1), pad("p", "v")),
    "old_input": model(pad("p", pads=PADS), initializers=[stored], opset=10),
}.items():
    save(here / "refused" / f"{name}.onnx", made)
    print("refused", name)
