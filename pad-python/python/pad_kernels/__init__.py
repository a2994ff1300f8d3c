"""Pad arrays as `numpy.pad` does, faster and with more options.

>>> import numpy as np
>>> import pad_kernels
>>> pad_kernels.pad(np.array([1, 2, 3]), 2, mode="reflect")
array([3, 2, 1, 2, 3, 2, 1])

- `pad` can replace `numpy.pad`. It also accepts negative widths, fill between
  elements, and an existing array as `out`.
- `pad_to` pads to a size. `pad_batch` puts arrays of unequal lengths into one
  array.
- `Plan` prepares a pad call for one shape and dtype.
- `read` returns a region of an array that may extend outside the array.
- `fill_borders` writes only the border of an array, such as a halo.
- `torch_pad` pads tensors of torch, and the module `pad_kernels.dask` pads
  arrays of dask.
"""

# The module `_numpy` keeps numpy's own functions, so it must be imported before a program can replace them.
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
