"""ImageNet classifiers measured on ReaL labels and on ImageNet-V2.

* ReaL (Beyer et al., "Are we done with ImageNet?", 2020): the same 50 000 images with new labels,
  several or none for an image.
* ImageNet-V2 (Recht et al., ICML 2019): three new sets of 10 000 images.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from mmengine.dataset import BaseDataset
from mmengine.evaluator import BaseMetric

from ..errors import InputError
from ..utils.files import read_json


class ImageNetV2(BaseDataset):
    """One of the ImageNet-V2 sets: folders 0 to 999, named by the label.

    A reader that sorts folder names would number '10' before '2'.

    Raises:
        InputError: there are no images, or a folder's name is no label.
    """

    def load_data_list(self) -> list[dict]:
        folder = Path(self.data_prefix['img_path'])
        files = sorted(folder.glob('*/*.jpeg'))
        strange = {file.parent.name for file in files} - set(map(str, range(1000)))
        if strange or not files:
            found = f'a folder {min(strange)!r}' if strange else 'no images (*/*.jpeg)'
            raise InputError(f'{folder}: {found}; ImageNet-V2 has folders named 0 to 999')
        return [{'img_path': str(file), 'gt_label': int(file.parent.name)} for file in files]


class ReaLAccuracy(BaseMetric):
    """Top-k accuracy with ReaL labels: right if any label is among the k; images without are left.

    Args:
        ann_file: ``real.json``, for each validation image in the order of its number the list of
            its labels.
        topk: the values of k.
        options: as of ``BaseMetric``.

    Raises:
        InputError: the file is missing or of another form, or an image has no place in it.
    """

    default_prefix = 'real'

    def __init__(self, ann_file: str, topk: Sequence[int] = (1, 5), **options) -> None:
        super().__init__(**options)
        self.ann_file = ann_file
        self.topk = tuple(topk)
        try:
            self.labels = [set(labels) for labels in read_json(ann_file)]
        except (ValueError, TypeError) as error:
            raise InputError(f'{ann_file}: no ReaL labels ({error})') from error

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        for sample in data_samples:
            labels = self._labels_of(sample['img_path'])
            if labels:
                best = sample['pred_score'].topk(max(self.topk)).indices.tolist()
                self.results.append([bool(labels & set(best[:k])) for k in self.topk])

    def _labels_of(self, path: str) -> set[int]:
        number = re.search(r'val_(\d+)', Path(path).name)
        if number is None or not 1 <= int(number[1]) <= len(self.labels):
            raise InputError(
                f'{path}: {self.ann_file} has labels of ILSVRC2012_val_00000001 to '
                f'{len(self.labels):08}, none of this image'
            )
        return self.labels[int(number[1]) - 1]

    def compute_metrics(self, results: list[list[bool]]) -> dict[str, float]:
        """Return percentages over the images with labels, and how many these are."""
        right = [sum(column) for column in zip(*results, strict=True)] or [0] * len(self.topk)
        share = {
            f'top{k}': 100 * count / max(len(results), 1)
            for k, count in zip(self.topk, right, strict=True)
        }
        return share | {'images': len(results)}
