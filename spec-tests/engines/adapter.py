"""Implements the protocol of `PROTOCOL.md` for all adapters in Python.

The scripts in `vectors/record` translate cases into calls of an engine. An adapter runs the function of one of these scripts for
each case that it reads.
"""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vectors", "record"))
# Answers go to the standard output of the process. Text that the engine prints goes to standard error, so it cannot mix with
# answers.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
VERSION = 1


def write(line):
    ANSWERS.write(json.dumps(line) + "\n")
    ANSWERS.flush()


def serve(engine, run, cannot):
    """Reads cases and writes answers until the input ends.

    `run(case)` returns the answer of the engine, in the form of the field `expect`. `cannot(case)` returns the reason why the
    engine cannot express the case, or None.
    """
    sys.stdin.reconfigure(encoding="utf-8")
    json.loads(sys.stdin.readline())
    write({"protocol": VERSION, "engine": engine})
    for line in sys.stdin:
        asked = json.loads(line)
        why = cannot(asked["case"])
        # If no answer can be written as JSON, `run` returns None.
        answer = {"cannot": why} if why else run(asked["case"]) or {"cannot": "no answer that can be written"}
        if "error" in answer:
            # The scripts that record cases return `true` for an error. Other functions may return a reason.
            answer = {"error": "refused" if answer["error"] is True else str(answer["error"])}
        write({"n": asked["n"], **answer})
