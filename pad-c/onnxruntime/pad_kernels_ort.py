"""Rewrites the Pad nodes of an ONNX model to pad_kernels::Pad.

python pad_kernels_ort.py MODEL OUTPUT

A session then loads the library with SessionOptions.register_custom_ops_library.
"""

import sys

import onnx
from onnx import helper

DOMAIN = "pad_kernels"


def rewrite(model):
    """Rewrite every Pad node of `model`, also in subgraphs. The function changes the model in place.

    Return the number of rewritten nodes. If the opset of the model is older than 11, raise a ValueError.
    """
    opset = next(entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx"))
    if opset < 11:
        raise ValueError(f"opset {opset}: pads are an input from opset 11 on")
    count = sum(rewrite_graph(graph) for graph in graphs(model.graph))
    if count:
        model.opset_import.append(helper.make_opsetid(DOMAIN, 1))
    return count


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] * attribute.HasField("g") + list(attribute.graphs):
                yield from graphs(inner)


def rewrite_graph(graph):
    nodes, count = [], 0
    for node in graph.node:
        if node.op_type == "Pad" and node.domain in ("", "ai.onnx"):
            count += 1
            node.domain = DOMAIN
            if len(node.input) > 3 and node.input[3]:
                # In ONNX, axes may be int32, but this operator needs int64.
                wide = f"{node.output[0]}/axes"
                nodes.append(helper.make_node("Cast", [node.input[3]], [wide], to=onnx.TensorProto.INT64))
                node.input[3] = wide
        nodes.append(node)
    # `del` invalidates the nodes of the field, so this line copies them first.
    nodes = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(nodes)
    return count


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    loaded = onnx.load(sys.argv[1])
    print(rewrite(loaded), "Pad nodes")
    onnx.save(loaded, sys.argv[2])
