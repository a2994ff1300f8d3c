"""Run a Python program with `numpy.pad` replaced by `pad_kernels.pad`.

python -m pad_kernels program.py [ARGUMENT ...]
python -m pad_kernels -m module [ARGUMENT ...]
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from pad_kernels import patch_dask, patch_numpy


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m pad_kernels",
        usage="%(prog)s [-h] [--dask] (-m MODULE | PROGRAM) [ARGUMENT ...]",
        description="Run a Python program with numpy.pad replaced by pad_kernels.pad. The program itself is not changed.",
    )
    parser.add_argument("--dask", action="store_true", help="replace dask.array.pad by pad_kernels.dask.pad, too")
    parser.add_argument("-m", dest="module", action="store_true", help="PROGRAM is the name of a module, as for python -m")
    parser.add_argument("program", metavar="PROGRAM", help="the file to run, or the module after -m")
    parser.add_argument("arguments", metavar="ARGUMENT", nargs=argparse.REMAINDER, help="arguments of the program")
    given = parser.parse_args()
    if not given.module and not Path(given.program).exists():
        parser.error(f"there is no file {given.program}")

    patch_numpy()
    if given.dask:
        patch_dask()
    sys.argv = [given.program, *given.arguments]
    if given.module:
        runpy.run_module(given.program, run_name="__main__", alter_sys=True)
    else:
        # Python finds modules beside the program first.
        sys.path[0] = str(Path(given.program).resolve().parent)
        runpy.run_path(given.program, run_name="__main__")


if __name__ == "__main__":
    main()
