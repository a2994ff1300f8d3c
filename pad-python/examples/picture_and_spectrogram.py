"""Pads an image and a sound in five modes. Draws the padded images, and the spectrograms of the padded sounds, in one PNG file.

    python picture_and_spectrogram.py [FILE.png]

The upper row shows an image with a border of 40 pixels. A white frame marks the edge of the original image. The lower row shows
the spectrogram of a rising tone. Its first and last columns show the padding of the sound. In mode constant, the padding is
silent. In mode edge, it has a constant value. In mode wrap, the tone jumps from its end to its beginning. In modes reflect and
symmetric, the padding is the sound in reverse.
"""

from __future__ import annotations

import struct
import sys
import zlib
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pad_kernels import Plan, pad

MODES: list[Literal["constant", "edge", "reflect", "symmetric", "wrap"]] = [
    "constant",
    "edge",
    "reflect",
    "symmetric",
    "wrap",
]
BORDER, WINDOW, HOP = 40, 512, 64


def picture() -> NDArray[np.uint8]:
    """Return an RGB image of 120 x 120 pixels: a hill with rings around it."""
    y, x = np.mgrid[0:120, 0:120] / 120 - 0.35
    distance = np.hypot(x, y * 1.4)
    rings = 0.5 + 0.5 * np.cos(40 * distance)
    colours: NDArray[np.float64] = np.stack([0.9 - distance, 0.4 + 0.5 * rings * (1 - distance), 0.25 + 0.7 * distance], axis=-1)
    scaled: NDArray[np.uint8] = (255 * np.clip(colours, 0, 1)).astype(np.uint8)
    return scaled


def framed(image: NDArray[np.uint8], plan: Plan) -> NDArray[np.uint8]:
    padded: NDArray[np.uint8] = plan(image)
    low, high = BORDER - 1, BORDER + image.shape[0]
    padded[[low, high], low : high + 1] = padded[low : high + 1, [low, high]] = 255
    return padded


def spectrogram(sound: NDArray[np.float32], mode: Any) -> NDArray[np.uint8]:
    """Return the spectrogram of a padded sound.

    The windows are centred on every 64th sample. The first and the last windows therefore extend into the padding.
    """
    padded = pad(sound, WINDOW // 2, mode)
    starts = np.arange(0, len(padded) - WINDOW + 1, HOP)
    windows = padded[starts[:, None] + np.arange(WINDOW)] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(windows, axis=1))[:, 120:0:-1].T
    decibels = 20 * np.log10(power + 1e-3)
    grey = (255 * np.clip((decibels + 20) / 60, 0, 1)).astype(np.uint8)
    # The spectrogram is padded to the width of a padded image, and gets three equal colour channels.
    columns = grey.shape[1]
    grey = pad(grey, ((10, 10), (0, 200 - columns)), constant_values=0)
    return np.repeat(grey[:, :, None], 3, axis=2)


def png(image: NDArray[np.uint8]) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width, _ = image.shape
    # In a PNG, each row begins with the number of its filter. The number 0 means no filter.
    rows = pad(image.reshape(height, 3 * width), {1: (1, 0)})
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes())) + chunk(b"IEND", b"")


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "padded.png"
    image = picture()
    time = np.arange(200 * HOP - WINDOW) / 8000
    sound = np.sin(2 * np.pi * (300 + 500 * time) * time).astype(np.float32)
    columns = []
    for mode in MODES:
        plan = Plan(image.shape, image.dtype, ((BORDER, BORDER), (BORDER, BORDER), (0, 0)), mode)
        columns.append(np.concatenate([framed(image, plan), spectrogram(sound, mode)]))
    sheet = np.concatenate([pad(column, ((8, 8), (4, 4), (0, 0)), constant_values=255) for column in columns], axis=1)
    with open(path, "wb") as file:
        file.write(png(sheet))
    print(f"{path}: {sheet.shape[1]} x {sheet.shape[0]}, from the left {', '.join(MODES)}")


if __name__ == "__main__":
    main()
