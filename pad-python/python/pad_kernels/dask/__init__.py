"""Pad dask arrays, with one task for each chunk of the result.

>>> import dask.array
>>> import pad_kernels.dask
>>> x = dask.array.arange(12, chunks=4)
>>> pad_kernels.dask.pad(x, (2, 1), "wrap").compute()
array([10, 11,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11,  0])

`pad` can replace `dask.array.pad`, and `pad_to` pads to a size. `map_halo` applies a function to
every chunk together with the elements around it. To install dask with this package, run
``pip install pad-kernels[dask]``.
"""

try:
    import dask.array
except ImportError as error:
    raise ImportError("pad_kernels.dask needs dask: pip install pad-kernels[dask]") from error

from pad_kernels.dask._arrays import map_halo, pad, pad_to

__all__ = ["map_halo", "pad", "pad_to"]
