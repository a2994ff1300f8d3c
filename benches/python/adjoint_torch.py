"""Compares the times of torch and of the program `adjoint` (benches/src/bin/adjoint.rs) for gradients of pads, on one CPU thread.

The two run in turns. torch gets every advantage: for mirrored and replicated borders, its gradients go to existing memory. Each
printed line shows the id of a workload, the minimum time of both in microseconds, and the time of torch divided by that of the
program.
"""

import argparse
import json
import subprocess
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program", metavar="PROGRAM", help="the path of the program `adjoint`")
parser.add_argument("workloads", metavar="WORKLOADS.json")
args = parser.parse_args()

import torch  # the help does not need it

TURNS = 3
MODES = {"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "circular"}
TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def backward(one):
    """Returns a function that computes the gradient of the input of the workload `one`."""
    dtype = TYPES[one["dtype"]]
    pads = [p for pair in one["pads"][:1:-1] for p in pair]
    x = torch.randn(one["shape"]).to(dtype).requires_grad_()
    y = torch.nn.functional.pad(x, pads, mode=MODES[one["mode"]])
    g = torch.randn(y.shape).to(dtype)
    into = torch.empty_like(x).detach()
    given = {"reflect": torch.ops.aten.reflection_pad2d_backward, "edge": torch.ops.aten.replication_pad2d_backward}
    if one["mode"] in given:
        call, leaf = given[one["mode"]].grad_input, x.detach()
        return lambda: call(g, leaf, pads, grad_input=into)
    return lambda: torch.autograd.grad(y, x, g, retain_graph=True)


def least(call):
    """Returns the minimum time of a call in microseconds."""
    call()
    best, end = float("inf"), time.perf_counter() + 0.4
    while time.perf_counter() < end:
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best * 1e6


def main():
    torch.set_num_threads(1)
    for one in json.load(open(args.workloads)):
        call = backward(one)
        theirs = ours = float("inf")
        for _ in range(TURNS):
            theirs = min(theirs, least(call))
            command = [args.program, args.workloads, "--only", one["id"]]
            line = subprocess.run(command, capture_output=True, text=True, check=True)
            ours = min(ours, json.loads(line.stdout)["adjoint"] / 1e3)
        print(f"{one['id']:20} torch {theirs:8.0f} us, ours {ours:8.0f} us, {theirs / ours:.1f} times")


main()
