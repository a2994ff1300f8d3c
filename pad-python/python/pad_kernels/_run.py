"""The command `python -m pad_kernels`, which patches numpy and runs a program."""

from __future__ import annotations

import argparse
import builtins
import io
import runpy
import sys
from pathlib import Path

from pad_kernels._patch import patch_dask, patch_numpy


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m pad_kernels",
        usage="%(prog)s [-h] [--dask] (-m MODULE | PROGRAM) [ARGUMENT ...]",
        description="Run a Python program with numpy.pad replaced by pad_kernels.pad. The program itself is not changed.",
    )
    parser.add_argument("--dask", action="store_true", help="replace dask.array.pad by pad_kernels.dask.pad, too")
    parser.add_argument("-m", dest="module", action="store_true", help="treat PROGRAM as the name of a module, as python -m does")
    parser.add_argument("program", metavar="PROGRAM", help="the file to run, or the module after -m")
    # Everything after the program belongs to the program, even options.
    end = next((i for i, argument in enumerate(sys.argv) if i and not argument.startswith("-")), len(sys.argv))
    given, arguments = parser.parse_args(sys.argv[1 : end + 1]), sys.argv[end + 1 :]
    program = Path(given.program)
    if not given.module and not program.is_file():
        parser.error(f"{given.program} is a folder: name a file, or a module after -m" if program.is_dir() else f"there is no file {given.program}")

    patch_numpy()
    if given.dask:
        patch_dask()
    sys.argv = [given.program, *arguments]
    if given.module:
        # `python -m` calls this function, too. The module becomes `__main__`, which stays until the process ends.
        runpy._run_module_as_main(given.program)  # type: ignore[attr-defined]
        return
    # As without this package, Python first looks for modules in the folder of the program, except with the option -P.
    if not sys.flags.safe_path:
        sys.path[0] = str(program.resolve().parent)
    names = sys.modules["__main__"].__dict__
    names.clear()
    names.update({"__name__": "__main__", "__file__": given.program, "__builtins__": builtins})
    # Python also gives these names to a program. The package multiprocessing reads `__spec__` before it starts a process.
    names.update(dict.fromkeys(("__doc__", "__loader__", "__package__", "__spec__")))
    with io.open_code(str(program.resolve())) as file:
        # Without `dont_inherit`, the `__future__` import of this file would apply to the program.
        code = compile(file.read(), given.program, "exec", dont_inherit=True)
    exec(code, names)
