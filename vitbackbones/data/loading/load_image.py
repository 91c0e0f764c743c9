"""Image loading, as a step of a pipeline, that names the file it cannot read.

mmcv's ``LoadImageFromFile`` answers a file that is no image with a bare ``AssertionError``.
"""

import cv2
import numpy as np
from mmcv.transforms import LoadImageFromFile

from ...errors import OptionError
from ...layers import require_choice
from .image_file import ADVICE, DAMAGED, UnreadableImage, decode, naming, read_content, read_image

# What a side of a JPEG can be divided by while it is decoded, and how OpenCV is told
REDUCTIONS = {
    1: cv2.IMREAD_COLOR,
    2: cv2.IMREAD_REDUCED_COLOR_2,
    4: cv2.IMREAD_REDUCED_COLOR_4,
    8: cv2.IMREAD_REDUCED_COLOR_8,
}


class EncodedImage:
    """A JPEG file that is decoded when it is known how many of its pixels count.

    Attributes:
        shape: (H, W, 3) of the whole image.
    """

    def __init__(self, content: bytes, path: str, height: int, width: int) -> None:
        self.content = content
        self.path = path
        self.shape = (height, width, 3)

    def decode(self, factor: int) -> np.ndarray:
        """Return the image as (ceil(H / factor), ceil(W / factor), 3), uint8, BGR.

        Args:
            factor: a key of :data:`REDUCTIONS`.

        Raises:
            UnreadableImage: the file is damaged.
        """
        with naming(self.path, ADVICE):
            pixels = cv2.imdecode(np.frombuffer(self.content, np.uint8), REDUCTIONS[factor])
            if pixels is None:
                raise ValueError(DAMAGED)
            return pixels


def read_encoded(path: str, backend_args: dict | None = None) -> EncodedImage | np.ndarray:
    """Read one image as :func:`read_image` does, but leave a JPEG encoded.

    A JPEG with EXIF data is decoded: it may have to be turned.
    """
    with naming(path, ADVICE):
        content, header = read_content(path, backend_args)
        if header is not None and header.format == 'JPEG' and 'exif' not in header.info:
            return EncodedImage(content, path, header.height, header.width)
        return decode(content, header)


class LoadImage(LoadImageFromFile):
    """mmcv's ``LoadImageFromFile`` with an ``InputError`` that names the file.

    Args:
        to_float32, color_type, imdecode_backend, backend_args: as in mmcv; a number as
            ``color_type`` is that of the bands, see :func:`.image_file.decode`.
        ignore_empty: return None for a bad image of any kind instead of raising. Datasets then
            draw another image in training, and stop in testing.
        decode: ``'full'``, or ``'reduced'``: the ``vitbackbones.RandomResizedCrop`` that must be
            the next step decodes a JPEG, large ones at a half, a quarter or an eighth of their
            sides where the crop allows it. This changes pixels a little. Of the other options
            only ``backend_args`` goes with it.

    Raises:
        UnreadableImage: as :func:`read_image`.
        OptionError: ``decode`` is unknown, or does not go with another option.
    """

    def __init__(
        self,
        to_float32: bool = False,
        color_type: str | int = 'color',
        imdecode_backend: str = 'cv2',
        ignore_empty: bool = False,
        backend_args: dict | None = None,
        decode: str = 'full',
    ) -> None:
        super().__init__(
            to_float32, color_type, imdecode_backend, None, ignore_empty, backend_args=backend_args
        )
        require_choice('decode', decode, ('full', 'reduced'))
        default = (to_float32, color_type, imdecode_backend, ignore_empty)
        if decode == 'reduced' and default != (False, 'color', 'cv2', False):
            raise OptionError(
                "decode='reduced' cannot be combined with options other than backend_args"
            )
        self.decode = decode

    def transform(self, results: dict) -> dict | None:
        """Add ``img`` (H, W, 3), ``img_shape`` and ``ori_shape`` (H, W) to ``results``."""
        path = results['img_path']
        try:
            if self.decode == 'reduced':
                image = read_encoded(path, self.backend_args)
            else:
                image = read_image(path, self.color_type, self.imdecode_backend, self.backend_args)
        except UnreadableImage:
            if self.ignore_empty:
                return None
            raise
        image = image.astype(np.float32) if self.to_float32 else image
        shape = image.shape[:2]
        return results | {'img': image, 'img_shape': shape, 'ori_shape': shape}
