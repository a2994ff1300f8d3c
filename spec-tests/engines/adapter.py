"""What the adapters share: `PROTOCOL.md`, spoken for a function that answers cases.

The recorders of `vectors/record` know how a case is put to an engine; an adapter is one of them behind the protocol.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "record"))
# Answers go where standard output was. What the engine itself prints there must not come between them.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
VERSION = 1


def write(line):
    ANSWERS.write(json.dumps(line) + "\n")
    ANSWERS.flush()


def serve(engine, run, cannot):
    """`run` is a case's answer in the form of `expect`; `cannot` says why a case cannot be put, or nothing."""
    sys.stdin.reconfigure(encoding="utf-8")
    json.loads(sys.stdin.readline())
    write({"protocol": VERSION, "engine": engine})
    for line in sys.stdin:
        asked = json.loads(line)
        why = cannot(asked["case"])
        answer = {"cannot": why} if why else run(asked["case"])
        if "error" in answer:
            # Recorders write `true`; an adapter may know why.
            answer = {"error": "refused" if answer["error"] is True else str(answer["error"])}
        write({"n": asked["n"], **answer})
