"""Pictures that belong to no data set, read through a pipeline as if they did."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from mmengine.dataset import Compose
from torch.utils.data import Dataset

from .load_image import read_image


class GivenPictures(Dataset):
    """Picture files without annotations, for a classifier's pipeline.

    Args:
        files: their paths.
        pipeline: of another data set, whose pictures may have come decoded.
    """

    metainfo: Mapping = {}

    def __init__(self, files: Sequence[Path], pipeline: Sequence[dict]) -> None:
        self.files = files
        self.pipeline = Compose(pipeline)

    def __len__(self) -> int:
        return len(self.files)

    def get_data_info(self, index: int) -> dict:
        """Return what a pipeline starts with; the label, which steps ask for, means nothing.

        Raises:
            UnreadableImage: the file cannot be decoded.
        """
        path = str(self.files[index])
        pixels = read_image(path, advice='')
        shape = pixels.shape[:2]
        return {
            'img_path': path,
            'img': pixels,
            'img_shape': shape,
            'ori_shape': shape,
            'gt_label': 0,
        }

    def __getitem__(self, index: int) -> dict:
        return self.pipeline(self.get_data_info(index))
