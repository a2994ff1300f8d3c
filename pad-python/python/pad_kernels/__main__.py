"""Run a Python program with `numpy.pad` replaced by `pad_kernels.pad`.

python -m pad_kernels program.py [ARGUMENT ...]
python -m pad_kernels -m module [ARGUMENT ...]
"""

from pad_kernels._run import main

if __name__ == "__main__":
    main()
