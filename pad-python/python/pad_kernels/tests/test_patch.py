"""Tests of the patches of `numpy.pad` and `dask.array.pad`. Some tests patch in a new interpreter, before other imports."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest

import pad_kernels
from pad_kernels import _numpy

ASSIGN = "import numpy as np, pad_kernels; np.pad = pad_kernels.pad"
PATCH = "import numpy as np, pad_kernels; pad_kernels.patch_numpy()"


def fresh(*lines: str) -> str:
    """Run these lines in a new interpreter, and return its output."""
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


# These calls are passed on to numpy, refused by numpy, or have unusual arrays.
CALLS = [
    "np.pad(np.array([1, None], object), 1).tolist()",
    "np.pad([1, 2], 1, lambda vector, *_: None).tolist()",
    "np.pad(np.arange(3), 1, 'mean', stat_length=0)",
    "np.pad(np.arange(3), 1, 'circular')",
    "np.pad(np.arange(3), 1.5)",
    "np.pad(np.arange(3), 1, 'edge', constant_values=1)",
    "np.pad(np.arange(3, dtype='u1'), 1, constant_values=[[1, 300]])",
    "np.pad(np.ma.array([1, 2], mask=[True, False]), 1)",
    "np.pad(np.array(['a', 'bc']), 1)",
    "np.pad(np.float32(3), 1)",
]
OUTCOME = """
import warnings
def outcome(call, np):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return repr(eval(call))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
"""


@pytest.mark.parametrize("replace", [ASSIGN, PATCH], ids=["assigned", "patched"])
@pytest.mark.parametrize("call", CALLS)
def test_the_first_call_is_as_numpys(replace: str, call: str) -> None:
    names: dict[str, Any] = {}
    exec(OUTCOME, names)
    assert fresh(replace, OUTCOME, f"print(outcome({call!r}, np))") == names["outcome"](call, np)


@pytest.mark.parametrize(
    ("imports", "quantity", "padded"),
    [
        (["import pint", ASSIGN], "pint.Quantity([1.0, 2.0], 'km')", "[1.0 1.0 2.0 2.0] kilometer"),
        (["import pint", PATCH], "pint.Quantity([1.0, 2.0], 'km')", "[1.0 1.0 2.0 2.0] kilometer"),
        # astropy has a table whose keys are functions. One key is the object that `numpy.pad` is during the import of astropy.
        (["import astropy.units", ASSIGN], "astropy.units.Quantity([1.0, 2.0], 'km')", "[1. 1. 2. 2.] km"),
        (["import astropy.units", PATCH], "astropy.units.Quantity([1.0, 2.0], 'km')", "[1. 1. 2. 2.] km"),
        ([PATCH, "import astropy.units"], "astropy.units.Quantity([1.0, 2.0], 'km')", "[1. 1. 2. 2.] km"),
    ],
)
def test_quantities_keep_their_units(imports: list[str], quantity: str, padded: str) -> None:
    pytest.importorskip(quantity.split(".")[0])
    assert fresh(*imports, f"print(np.pad({quantity}, 1, 'edge'))") == padded


def test_dask_arrays_keep_their_chunks() -> None:
    pytest.importorskip("dask.array")
    for replace in (ASSIGN, PATCH):
        assert fresh("import dask.array as da", replace, "print(type(np.pad(da.ones(3), 1)).__module__)") == "dask.array.core"


def test_a_patch_keeps_the_function_and_can_be_undone() -> None:
    earlier, array = np.pad, np.arange(3)
    negative: Any = (-1, 1)
    with pad_kernels.patch_numpy():
        assert np.pad is earlier and earlier(array, negative).tolist() == [1, 2, 0]
        with pad_kernels.patch_numpy():
            pass
        # The outer patch is still active, so numpy.pad stays patched after the inner block.
        assert np.pad(array, negative).tolist() == [1, 2, 0]
        assert earlier(array, 1, "linear_ramp").tolist() == [0, 0, 1, 2, 0]
    with pytest.raises(ValueError, match="negative"):
        np.pad(array, negative)
    pad_kernels.patch_numpy()
    pad_kernels.unpatch_numpy()
    pad_kernels.unpatch_numpy()
    with pytest.raises(ValueError, match="can't contain negative"):
        earlier(array, negative)


def test_a_call_outlives_its_patch() -> None:
    """Another thread may end the patch while a call looks up the replacement."""
    function = _numpy.public_implementation
    with pad_kernels.patch_numpy():
        begun = FunctionType(function.__code__, function.__globals__)
    assert begun(np.ones(1), (1, -1), "constant").tolist() == [0]


def test_patches_end_in_any_order() -> None:
    array, negative = np.arange(3), (-1, 1)

    def is_patched() -> bool:
        try:
            return bool(np.array_equal(np.pad(array, negative), [1, 2, 0]))
        except ValueError:
            return False

    first, second = pad_kernels.patch_numpy(), pad_kernels.patch_numpy()
    first.__exit__()
    assert is_patched()
    second.__exit__()
    assert not is_patched()
    # A patch that has ended may begin another block. The end of an older block does not undo a newer patch.
    with first:
        assert is_patched()
        pad_kernels.unpatch_numpy()
        assert not is_patched()
        newer = pad_kernels.patch_numpy()
    assert is_patched()
    # A patch may begin a block inside of its own block.
    with newer:
        with newer:
            pass
        assert is_patched()
    assert not is_patched()


def test_threads_begin_and_end_patches() -> None:
    done = time.monotonic() + 1

    def blocks() -> None:
        while time.monotonic() < done:
            with pad_kernels.patch_numpy():
                pass

    threads = [threading.Thread(target=blocks) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with pytest.raises(ValueError, match="can't contain negative"):
        np.pad(np.arange(3), (-1, 1))


@pytest.mark.parametrize("duplicate", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_patch_is_not_copied(duplicate: Any) -> None:
    with pad_kernels.patch_numpy() as patch, pytest.raises(TypeError, match="belongs to one process"):
        duplicate(patch)


def test_functions_get_all_keywords() -> None:
    given = {"dtype": float, "frame": "x", "interior": 1, "out": 2, "stat_length": 3, "threads": 4}
    got = []
    with pad_kernels.patch_numpy():
        padded = np.pad([1, 2], 1, lambda vector, width, axis, kwargs: got.append(kwargs), **given)
        with pytest.raises(ValueError, match="pad_width is -1, and mode is a function"):
            np.pad([1, 2], -1, lambda *_: None, threads=4)
    assert got == [given] and padded.dtype == int


@pytest.mark.parametrize(
    "before",
    [
        "np.pad = functools.partial(np.pad)",
        "of_numpy = np.pad; np.pad = lambda *args, **kwargs: of_numpy(*args, **kwargs)",
        "import pad_kernels; np.pad = pad_kernels.pad; import pad_kernels._patch; pad_kernels.patch_numpy();"
        "import importlib; importlib.reload(pad_kernels._numpy); importlib.reload(pad_kernels._patch)",
    ],
)
def test_what_was_replaced_before(before: str) -> None:
    lines = ["import functools, numpy as np", before, "import pad_kernels, pad_kernels._patch as patch"]
    assert fresh(*lines, "print(pad_kernels.pad(np.array([1, None], object), 1)[1:3].tolist())") == "[1, None]"
    restored = "from numpy.lib._arraypad_impl import pad; print(pad(np.arange(3), 1).tolist())"
    assert fresh(*lines, "patch.patch_numpy(); patch.unpatch_numpy()", restored) == "[0, 0, 1, 2, 0]"


def test_dask_is_patched() -> None:
    da: Any = pytest.importorskip("dask.array")
    x = da.arange(12, chunks=4)
    assert not da.pad(x, 30, "wrap").name.startswith("pad-")
    with pad_kernels.patch_dask():
        ours = da.pad(x, 30, "wrap")
        assert ours.name.startswith("pad-")
        np.testing.assert_array_equal(ours.compute(), np.pad(np.arange(12), 30, "wrap"))
        by_numpy: Any = np.pad(x, 1, "edge")
        assert by_numpy.name.startswith("pad-")

        def sevens(vector: Any, width: Any, axis: int, kwargs: Any) -> Any:
            vector[: width[0]] = 7
            return vector

        # dask's own code pads if the mode is a function.
        assert da.pad(x, 2, sevens).compute()[:3].tolist() == [7, 7, 0]
        with pytest.raises(ValueError, match="not supported"):
            da.pad(x, 1, "circular")
    assert not da.pad(x, 30, "wrap").name.startswith("pad-")


def run(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pad_kernels", *arguments]
    variables = {**os.environ, **variables}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd=cwd, env=variables)


def test_programs_run_patched(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("from numpy import pad\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport numpy as np\nfrom beside import pad\n"
        "assert __name__ == '__main__'\nprint(pad(np.arange(3), (-1, 1)), sys.argv[1:])\n"
    )
    done = run(str(program), "--dask", "x", cwd=tmp_path.parent)
    assert done.stdout == "[1 2 0] ['--dask', 'x']\n", done.stderr
    done = run("-m", "program", "-m", "--", cwd=tmp_path)
    assert done.stdout == "[1 2 0] ['-m', '--']\n", done.stderr
    done = run(str(program), "--", "a", cwd=tmp_path)
    assert done.stdout == "[1 2 0] ['--', 'a']\n", done.stderr
    done = run("-m", "missing_module", cwd=tmp_path)
    assert done.returncode == 1 and "No module named missing_module" in done.stderr and "Traceback" not in done.stderr
    assert "numpy.pad replaced" in run("--help", cwd=tmp_path).stdout
    done = run("missing.py", cwd=tmp_path)
    assert done.returncode == 2 and "there is no file missing.py" in done.stderr
    # The names of a program stay in `__main__` until the process ends.
    program.write_text(
        "import atexit, pickle, sys\ndef function(): pass\natexit.register(lambda: print(pickle.loads(pickle.dumps(function)) is function))\n"
    )
    for arguments in ([str(program)], ["-m", "program"]):
        done = run(*arguments, cwd=tmp_path)
        assert done.stdout == "True\n", done.stderr
    program.write_text("import sys; sys.exit(3)")
    assert run(str(program), cwd=tmp_path).returncode == 3
    # The `__future__` imports of the package do not apply to the program.
    program.write_text("def function(x: int): pass\nassert function.__annotations__ == {'x': int}")
    done = run(str(program), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    # In safe-path mode, the folders of PYTHONPATH stay, and the folder of the program is not among them.
    (tmp_path / "inside").mkdir()
    program = tmp_path / "inside" / "program.py"
    program.write_text("import beside, sys\nassert not [folder for folder in sys.path if folder.endswith('inside')]")
    folders = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = run(str(program), cwd=tmp_path, PYTHONSAFEPATH="1", PYTHONPATH=folders)
    assert done.returncode == 0, done.stderr


# This program runs numpy's own tests, and records the tests with calls that pad_kernels passes on to numpy.
HOST = """
import json, os, pytest
from pad_kernels import _numpy

pad, handed, failed, seen = _numpy.pad, set(), set(), set()

def counted(*args, **kwargs):
    handed.add(os.environ["PYTEST_CURRENT_TEST"].split("::", 1)[1].split("[")[0].split(" ")[0])
    return pad(*args, **kwargs)

class Plugin:
    def pytest_runtest_logreport(self, report):
        test = report.nodeid.split("::", 1)[1].split("[")[0]
        seen.add(test)
        if report.failed:
            failed.add(test)

_numpy.pad = counted
import numpy.lib.tests.test_arraypad as tests
pytest.main([tests.__file__, "-q", "-p", "no:cacheprovider", "--import-mode=importlib"], plugins=[Plugin()])
print("\\n" + json.dumps([sorted(seen), sorted(failed), sorted(handed)]))
"""


@pytest.mark.parametrize("replace", [ASSIGN, PATCH], ids=["assigned", "patched"])
def test_numpys_own_tests(replace: str) -> None:
    if np.lib.NumpyVersion(np.__version__) < "2.4.0":
        pytest.skip("the tests of numpy 2.4 know dict widths")
    done = fresh(replace, HOST)
    seen, failed, handed = json.loads(done.splitlines()[-1])
    # The tests of TestAsPairs are for a helper of numpy, and do not call pad_kernels.
    replaced = [test for test in seen if not test.startswith("TestAsPairs::")]
    print(f"{len(replaced)} of numpy's tests, {len(failed)} failed, {len(handed)} with calls that numpy pads")
    assert len(replaced) >= 84, done
    # In pad_kernels, a negative width is not an error.
    assert failed == ["TestPadWidth::test_negative_pad_width"], done


def test_programs_can_spawn_processes(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import multiprocessing, sys\n"
        "def work(): sys.exit(7)\n"
        "if __name__ == '__main__':\n"
        "    process = multiprocessing.get_context('spawn').Process(target=work)\n"
        "    process.start()\n"
        "    process.join()\n"
        "    print(process.exitcode)\n"
    )
    command = [sys.executable, "-m", "pad_kernels", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "7\n"), done.stderr
