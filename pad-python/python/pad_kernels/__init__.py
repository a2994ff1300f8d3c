"""Padding of arrays: numpy.pad, faster, and what it lacks.

>>> import numpy as np
>>> import pad_kernels
>>> pad_kernels.pad(np.array([1, 2, 3]), 2, mode="reflect")
array([3, 2, 1, 2, 3, 2, 1])

`pad` is a drop-in for `numpy.pad`; it takes negative widths, interior gaps
and `out=`, too. `pad_to` pads to a size, and `pad_batch` puts arrays of
unequal lengths into one. `Plan` is a padding prepared for one shape and dtype.
`read` is a box of an array that may reach beyond it, `fill_borders` writes
halos in place, and `torch_pad` is for tensors of torch. The module
`pad_kernels.dask` pads arrays of dask.
"""

# numpy's functions have to be kept before anybody can replace them.
from pad_kernels import _numpy as _numpy  # isort: skip
from pad_kernels._along import Along
from pad_kernels._pad_kernels import Plan, InputRegions, __version__, fill_borders, pad
from pad_kernels._patch import patch_dask, patch_numpy, unpatch_dask, unpatch_numpy
from pad_kernels._read import read
from pad_kernels._sizes import pad_batch, pad_to
from pad_kernels._torch import torch_pad

__all__ = [
    "Along",
    "Plan",
    "InputRegions",
    "__version__",
    "fill_borders",
    "pad",
    "pad_batch",
    "pad_to",
    "patch_dask",
    "patch_numpy",
    "read",
    "torch_pad",
    "unpatch_dask",
    "unpatch_numpy",
]
