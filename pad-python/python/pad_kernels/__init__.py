"""Padding of arrays: numpy.pad, faster, and what it lacks."""

from pad_kernels._pad_kernels import Plan, pad

__all__ = ["Plan", "pad"]
