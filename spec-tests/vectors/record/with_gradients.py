"""Records gradients of torch, jax and TensorFlow in ../gradients/gradients.jsonl."""

import json
import os
import random

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
import torch

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
torch.set_num_threads(1)

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(os.path.dirname(HERE), "gradients", "gradients.jsonl")
SOURCES = {
    "torch": f"torch {torch.__version__.split('+')[0]}, the backward of torch.nn.functional.pad (CPU)",
    "jax": f"jax {jax.__version__}, the VJP of jnp.pad (CPU)",
    "lax": f"jax {jax.__version__}, the VJP of jax.lax.pad (CPU)",
    "tensorflow": f"tensorflow-cpu {tf.__version__}, the gradient of tf.pad",
}
EACH = 210


def by_torch(one, x, g):
    mode = {"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "circular"}[one["mode"]]
    pairs = list(zip(one["low"], one["high"]))[::-1]
    if mode != "constant":
        # The other modes pad the last one to three axes, and require two axes before these.
        x, g = x[None, None], g[None, None]
    leaf = torch.tensor(x, requires_grad=True)
    torch.nn.functional.pad(leaf, [p for pair in pairs for p in pair], mode=mode).backward(torch.tensor(g))
    return leaf.grad.numpy().reshape(one["shape"]), None


def by_jax(one, x, g):
    pads = list(zip(one["low"], one["high"]))
    _, back = jax.vjp(lambda x: jnp.pad(x, pads, mode=one["mode"]), jnp.asarray(x))
    return np.asarray(back(jnp.asarray(g))[0]), None


def by_lax(one, x, g):
    config = list(zip(one["low"], one["high"], one["interior"]))
    _, back = jax.vjp(lambda x, v: jax.lax.pad(x, v, config), jnp.asarray(x), jnp.asarray(0, x.dtype))
    of_x, of_fill = back(jnp.asarray(g))
    return np.asarray(of_x), np.asarray(of_fill)


def by_tensorflow(one, x, g):
    leaf = tf.Variable(x)
    with tf.GradientTape() as tape:
        out = tf.pad(leaf, list(zip(one["low"], one["high"])), mode=one["mode"].upper())
    return tape.gradient(out, leaf, output_gradients=tf.constant(g)).numpy(), None


ENGINES = {
    "torch": (by_torch, ["constant", "edge", "reflect", "wrap"]),
    "jax": (by_jax, ["edge", "reflect", "symmetric", "wrap"]),
    "lax": (by_lax, ["constant"]),
    "tensorflow": (by_tensorflow, ["constant", "reflect", "symmetric"]),
}


def draw(engine, mode, rng):
    rank = rng.choice([1, 2, 3] if engine == "torch" and mode != "constant" else [1, 2, 3, 4])
    shape = [rng.choice([2, 3, 4, 5, 7, 9] if rank < 4 else [2, 3]) for _ in range(rank)]
    low, high, interior = [], [], []
    for d in shape:
        # `least` and `most` are the smallest and the largest pad that the engine accepts, or that this script needs.
        most = {"torch": d - 1 if mode == "reflect" else d, "tensorflow": d - 1 if mode == "reflect" else d}.get(engine, 2 * d + 1)
        least = -1 if engine == "lax" or (engine, mode) == ("torch", "constant") else 0
        low.append(rng.randint(least, min(most, 6)))
        high.append(rng.randint(least, min(most, 6)))
        interior.append(rng.choice([0, 0, 1, 2]) if engine == "lax" else 0)
    if all(p == 0 for p in low + high + interior):
        low[-1] = 1
    return {"shape": shape, "low": low, "high": high, "interior": interior, "mode": mode}


def main():
    lines = []
    for engine, (answer, modes) in ENGINES.items():
        rng = random.Random(f"gradients {engine}")
        for number in range(EACH):
            mode = modes[number % len(modes)]
            one = draw(engine, mode, rng)
            exact = number // len(modes) % 2 == 0
            dtype = ["float32", "float64"][number // (2 * len(modes)) % 2]
            outputs = [(d - 1) * (r + 1) + 1 + lo + hi
                       for d, lo, hi, r in zip(one["shape"], one["low"], one["high"], one["interior"])]
            count = int(np.prod(outputs))
            if count > 500:
                one = {"shape": [3], "low": [2], "high": [1], "interior": [0], "mode": mode}
                outputs, count = [6], 6
            value = (lambda: rng.randint(-99, 99)) if exact else (lambda: round(rng.uniform(-4, 4), 3))
            g = np.array([value() for _ in range(count)], dtype).reshape(outputs)
            gradient, fill = answer(one, np.zeros(one["shape"], dtype), g)
            assert list(gradient.shape) == one["shape"], one
            line = {"id": f"{engine}/{mode}-{number}", "engine": engine, "dtype": dtype, **one, "exact": exact,
                    "grad": [float(v) for v in g.ravel()], "expect": [float(v) for v in gradient.ravel()]}
            if fill is not None:
                line["fill"] = float(fill)
            lines.append({**line, "source": SOURCES[engine]})
    os.makedirs(os.path.dirname(OUT), exist_ok=True)
    short = lambda v: int(v) if isinstance(v, float) and v == int(v) and str(v) != "-0.0" else v
    for line in lines:
        for key in ("grad", "expect"):
            line[key] = [short(v) for v in line[key]]
    with open(OUT, "w") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
    print(f"{len(lines)} gradients")


main()
