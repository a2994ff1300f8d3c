#!/usr/bin/env python3
"""Runs the tests of projects that call numpy.pad, to show that replacing numpy.pad is safe.

The tests run twice, in parallel: with numpy's own pad, and after pad_kernels.patch_numpy(). The script compares the outcomes test
by test. It prints a table, which also counts the calls of numpy.pad, and the calls that pad_kernels ran without numpy.

The exit status is 0 if all tests have equal outcomes, except for tests of numpy that differ by design. It is 1 if some outcomes
differ, and 2 if tests could not run.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.metadata import distributions
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The maximum time of a run in seconds. A normal run takes minutes.
LONGEST = 3600


@dataclass
class Project:
    distribution: str
    # The keys are packages. The values name the test modules that call numpy.pad, without "test_". The tests of astropy's
    # function helpers are in the list because these helpers look up numpy.pad in a table.
    tests: dict[str, str]
    # This pattern finds the tests that expect an error where pad_kernels returns a result by design. The default finds none.
    by_design: str = "(?!)"
    options: list[str] = field(default_factory=list)

    def modules(self) -> list[str]:
        return [f"{package}.tests.test_{name}" for package, names in self.tests.items() for name in names.split()]


PROJECTS = {
    "numpy": Project("numpy", {"numpy.lib": "arraypad"}, by_design="test_negative_pad_width"),
    "scikit-image": Project(
        "scikit-image",
        {
            "skimage.exposure": "exposure",
            "skimage.feature": "blob corner orb template",
            "skimage.filters": "correlate thresholding",
            "skimage.graph": "pixel_graph",
            "skimage.measure": "block regionprops",
            "skimage.metrics": "simple_metrics",
            "skimage.morphology": "binary extrema flood_fill footprints gray isotropic misc skeletonize",
            "skimage.restoration": "denoise inpaint rolling_ball",
            "skimage.segmentation": "boundaries chan_vese watershed",
            "skimage.transform": "radon_transform warps",
        },
    ),
    "scipy": Project(
        "scipy",
        {
            "scipy.fft": "real_transforms",
            "scipy.linalg": "special_matrices",
            "scipy.ndimage": "filters interpolation",
            "scipy.signal": "short_time_fft signaltools spectral upfirdn",
            "scipy.sparse.linalg": "special_sparse_arrays",
        },
        options=["-m", "not slow"],
    ),
    "PyWavelets": Project("PyWavelets", {"pywt": "dwt_idwt"}),
    "xarray": Project("xarray", {"xarray": "coarsen dataarray dataset rolling variable"}),
    "astropy": Project("astropy", {"astropy.convolution": "convolve"}),
    "astropy, function helpers": Project(
        "astropy",
        {"astropy.uncertainty": "functions", "astropy.units": "quantity_non_ufuncs", "astropy.utils.masked": "function_helpers"},
    ),
}


@dataclass
class Run:
    outcomes: dict[str, str]
    calls: int
    by_numpy: int

    def passed(self) -> int:
        return sum(outcome == "passed" for outcome in self.outcomes.values())


class Refused(Exception):
    """The tests could not run."""


def progress(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", file=sys.stderr, flush=True)


def command(*words: str | Path) -> None:
    line = [str(word) for word in words]
    done = subprocess.run(line, stdout=subprocess.DEVNULL)
    if done.returncode:
        raise Refused(f"{' '.join(line)} ended with status {done.returncode}")


def environment(folder: Path, wheel: Path | None) -> Path:
    """Install the projects and the package in an environment in `folder`. Return the path of its Python."""
    python = folder / "env/bin/python"
    pip: list[str | Path] = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not python.exists():
        progress("make an environment")
        command(sys.executable, "-m", "venv", folder / "env")
    progress("install the projects")
    command(*pip, "--requirement", HERE / "requirements.txt")
    if wheel is None:
        progress("build the wheel")
        for old in folder.glob("pad_kernels-*.whl"):
            old.unlink()
        manifest = ("--manifest-path", HERE.parent / "Cargo.toml")
        options = ("--quiet", "--release", "--locked", "--interpreter", python, "--out", folder)
        command(python.with_name("maturin"), "build", *options, *manifest)
        (wheel,) = folder.glob("pad_kernels-*.whl")
    progress(f"install {wheel.name}")
    command(*pip, "--no-deps", "--force-reinstall", wheel)
    return python


def run(python: Path, folder: Path, name: str, patched: bool) -> Run:
    """Run the tests of a project once. Return their outcomes and the numbers of calls."""
    label = re.sub(r"\W+", "-", name) + ("-patched" if patched else "-numpy")
    result, log = folder / f"{label}.json", folder / f"{label}.log"
    result.unlink(missing_ok=True)
    # pytest names a test by its path from this folder. Because of the option `-c`, it reads no configuration file except the
    # conftest.py of the project.
    (rootdir,) = (folder / "env/lib").glob("python*/site-packages")
    project = PROJECTS[name]
    options = ["-q", "-p", "pad_counts", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-c", os.devnull, "--rootdir", rootdir]
    words = [python, "-m", "pytest", *options, *project.options, "--pyargs", *project.modules()]
    variables = {"PYTHONPATH": str(HERE), "PAD_COUNTS_FILE": str(result), "PAD_COUNTS_PATCHED": "1" if patched else ""}
    started = time.monotonic()
    with log.open("w") as out:
        done = subprocess.run(
            [str(word) for word in words],
            cwd=folder,
            env=os.environ | variables,
            stdout=out,
            stderr=subprocess.STDOUT,
            timeout=LONGEST,
        )
    # Status 1 means that tests failed.
    if done.returncode not in (0, 1) or not result.exists():
        raise Refused(f"pytest ended with status {done.returncode}: see {log}")
    found = Run(**json.loads(result.read_text()))
    how = "patched" if patched else "with numpy's pad"
    progress(f"{name}, {how}: {found.passed()} of {len(found.outcomes)} passed in {time.monotonic() - started:.0f} s")
    return found


def compare(python: Path, folder: Path, name: str, version: str) -> tuple[str, bool]:
    """Run the tests of a project with and without the patch.

    Return a row of the table, and whether the outcomes differ only by design.
    """
    with ThreadPoolExecutor() as pool:
        before, after = pool.map(lambda patched: run(python, folder, name, patched), (False, True))
    tests = sorted(before.outcomes | after.outcomes)
    differing = [test for test in tests if before.outcomes.get(test) != after.outcomes.get(test)]
    by_design = [test for test in differing if re.search(PROJECTS[name].by_design, test)]
    for test in differing:
        note = " (by design)" if test in by_design else ""
        print(f"{test}: {before.outcomes.get(test)} with numpy, {after.outcomes.get(test)} patched{note}")
    right = differing == by_design
    if not before.calls or before.calls != after.calls:
        print(f"{name}: {before.calls} calls with numpy, {after.calls} patched")
        right = False
    cells = [name, version, len(tests), before.passed(), after.passed(), len(differing), after.calls, after.calls - after.by_numpy]
    return "| " + " | ".join(str(cell) for cell in cells) + " |", right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the package under test (default: it is built by maturin)")
    names = ", ".join(map(repr, PROJECTS))
    parser.add_argument("--only", metavar="PROJECT", action="append", choices=list(PROJECTS), help=f"one of {names}; may be repeated")
    default = HERE.parents[1] / "target/clients"
    parser.add_argument("--folder", type=Path, default=default, help="for the environment and the logs (default: target/clients)")
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    try:
        python = environment(folder, given.wheel)
        path = [str(found) for found in (folder / "env/lib").glob("python*/site-packages")]
        versions = {found.name: found.version for found in distributions(path=path)}
        rows = [compare(python, folder, name, versions[PROJECTS[name].distribution]) for name in given.only or PROJECTS]
    except (Refused, subprocess.TimeoutExpired) as error:
        print(f"{Path(__file__).name}: {error}", file=sys.stderr)
        return 2
    progress(f"done in {(time.monotonic() - started) / 60:.0f} minutes")
    print("| project | version | tests | passed with numpy | passed patched | differing tests | calls | native calls |")
    print("|---|---|---|---|---|---|---|---|")
    for row, _ in rows:
        print(row)
    return 0 if all(right for _, right in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
