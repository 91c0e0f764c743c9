"""A picture with the statistics of a photograph: most of it changes slowly, edges are rare."""

import numpy as np
import PIL

# How far Pillow's pictures may be from torch's, and how many values differ. Both round between the
# two sides of a picture; Pillow 13 no longer takes them in torch's order.
NEWER = int(PIL.__version__.partition('.')[0]) >= 13
FARTHEST, OTHERS = (6, 0.3) if NEWER else (2, 0.02)


def photograph(height, width, seed=0):
    """8-bit pixels (H, W, 3) with the 1/f spectrum of natural images."""
    rng = np.random.default_rng(seed)
    frequency = np.hypot(np.fft.fftfreq(height)[:, None], np.fft.fftfreq(width)[None])
    spectrum = np.fft.fft2(rng.normal(size=(3, height, width))) / np.maximum(frequency, 1 / width)
    image = np.fft.ifft2(spectrum).real
    image = 128 + 50 * (image - image.mean()) / image.std()
    return image.clip(0, 255).astype(np.uint8).transpose(1, 2, 0).copy()  # (3, H, W) -> (H, W, 3)
