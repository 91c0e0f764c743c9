"""Public datasets for classification that mmpretrain lacks, or has in another form.

* CIFAR-10 and CIFAR-100 in BGR, as all other images are here. mmpretrain's are RGB: with a config
  that is written for files, a model would train and test with red and blue exchanged.
* Fashion-MNIST (Xiao et al., 2017) and MNIST from the files that they are published in. mmpretrain
  reads only unpacked files, and downloads what is missing.
* ImageNet-V2 (Recht et al., ICML 2019): three new sets of 10 000 images.
* ReaL (Beyer et al., "Are we done with ImageNet?", 2020): new labels for the 50 000 images of
  ImageNet's validation set, several or none for an image.
* iNaturalist 2018 and 2019 in the split of the competitions. The archives mix training and
  validation images; ``train2018.json`` and ``val2018.json`` list which is which.
"""

import gzip
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from mmengine.dataset import BaseDataset
from mmengine.evaluator import BaseMetric
from mmpretrain.datasets import CIFAR10 as RGBCIFAR10
from mmpretrain.datasets import CIFAR100 as RGBCIFAR100

from ...data.checks.coco_file import load_json
from ...errors import InputError
from ...utils.files import read_json


class _AsBGR(BaseDataset):
    """Turns ``img`` (H, W, 3) of every sample of a dataset from RGB to BGR."""

    def load_data_list(self) -> list[dict]:
        samples = super().load_data_list()
        return [{**one, 'img': np.ascontiguousarray(one['img'][..., ::-1])} for one in samples]


class CIFAR10(_AsBGR, RGBCIFAR10):
    """mmpretrain's ``CIFAR10`` as BGR; arguments are the same."""


class CIFAR100(_AsBGR, RGBCIFAR100):
    """mmpretrain's ``CIFAR100`` as BGR; arguments are the same."""


class IdxPictures(BaseDataset):
    """Gray pictures in two files of MNIST's form, ``data_prefix=dict(images=FILE, labels=FILE)``.

    Files that end with ``.gz`` are unpacked while they are read.

    Raises:
        InputError: one is missing, truncated or of another form, or they do not fit.
    """

    def load_data_list(self) -> list[dict]:
        files = [self.data_prefix[key] for key in ('images', 'labels')]
        try:
            images, labels = map(_read_idx, files)
            return [
                {'img': image.reshape(*image.shape, 1), 'gt_label': int(label)}  # (H, W, 1)
                for image, label in zip(images, labels, strict=True)
            ]
        except Exception as error:
            raise InputError(
                f'{" and ".join(files)}: not MNIST images and labels ({error!r})'
            ) from error


def _read_idx(path: str) -> np.ndarray:
    """Return the array of a file of bytes: 0, 0, 8, its dimensions, the size of each, values."""
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        content = file.read()
    sizes = np.frombuffer(content, '>u4', content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + sizes.nbytes).reshape(sizes)


class ImageNetV2(BaseDataset):
    """One of the ImageNet-V2 sets: folders 0 to 999, named by the label.

    A reader that sorts folder names would number '10' before '2'.

    Raises:
        InputError: there are no images, or the name of a folder is not a label.
    """

    def load_data_list(self) -> list[dict]:
        folder = Path(self.data_prefix['img_path'])
        files = sorted(folder.glob('*/*.jpeg'))
        strange = {file.parent.name for file in files} - set(map(str, range(1000)))
        if strange or not files:
            found = f'a folder {min(strange)!r}' if strange else 'no images (*/*.jpeg)'
            raise InputError(f'{folder}: {found}, but ImageNet-V2 has folders named 0 to 999')
        return [{'img_path': str(file), 'gt_label': int(file.parent.name)} for file in files]


class INaturalist(BaseDataset):
    """One competition split; ``ann_file`` is its JSON file, images lie below ``data_root``.

    Labels number the file's categories in the order of their ids.

    Raises:
        InputError: the annotation file is missing, or not of this form.
    """

    def load_data_list(self) -> list[dict]:
        content = load_json(self.ann_file)
        try:
            names = {category['id']: category['name'] for category in content['categories']}
            files = {image['id']: image['file_name'] for image in content['images']}
            labels = {key: label for label, key in enumerate(sorted(names))}
            pairs = [
                (files[one['image_id']], labels[one['category_id']])
                for one in content['annotations']
            ]
        except (KeyError, TypeError) as error:
            raise InputError(
                f'{self.ann_file}: not iNaturalist annotations ({error!r}). They must have '
                'categories, images and annotations, each with an id.'
            ) from error
        self._metainfo['classes'] = tuple(names[key] for key in labels)
        root = Path(self.data_root)
        return [{'img_path': str(root / file), 'gt_label': label} for file, label in pairs]


class TinyImageNet(BaseDataset):
    """Tiny-ImageNet: 64 x 64 pictures in 200 of ImageNet's classes, which are folders.

    ``data_prefix`` is one split. Validation pictures lie in class folders, too, or together in
    ``images`` with a list of their classes, as they are published. Labels number the classes in the
    order of their codes, the names of the folders.

    Raises:
        InputError: there are no pictures, or a line of the list names none of them.
    """

    def load_data_list(self) -> list[dict]:
        folder = Path(self.data_prefix['img_path'])
        listed = folder / 'val_annotations.txt'
        if listed.is_file():
            rows = [line.split('\t') for line in listed.read_text().splitlines()]
            pairs = [(folder / 'images' / row[0], row[1]) for row in rows if len(row) > 1]
            absent = [file for file, _ in pairs if not file.is_file()]
            if absent or not pairs:
                found = f'{absent[0]} does not exist' if absent else 'it lists no pictures'
                raise InputError(f'{listed}: {found}')
        else:
            files = sorted([*folder.glob('*/*.JPEG'), *folder.glob('*/images/*.JPEG')])
            pairs = [(file, file.relative_to(folder).parts[0]) for file in files]
            if not pairs or pairs[0][1] == 'images':
                found = 'images, but no val_annotations.txt' if pairs else 'no pictures'
                raise InputError(
                    f'{folder}: {found} (CLASS/*.JPEG, CLASS/images/*.JPEG, or images/*.JPEG with '
                    'val_annotations.txt)'
                )
        classes = sorted({name for _, name in pairs})
        self._metainfo['classes'] = tuple(classes)
        labels = {name: label for label, name in enumerate(classes)}
        return [{'img_path': str(file), 'gt_label': labels[name]} for file, name in pairs]


class ReaLAccuracy(BaseMetric):
    """Top-k accuracy with ReaL labels: right if any label is among the k.

    Images without a label do not count.

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
            raise InputError(f'{ann_file}: not ReaL labels ({error})') from error

    def process(self, data_batch: dict, data_samples: Sequence[dict]) -> None:
        for sample in data_samples:
            path = sample['img_path']
            number = re.search(r'val_(\d+)', Path(path).name)
            if number is None or not 1 <= int(number[1]) <= len(self.labels):
                raise InputError(
                    f'{path}: {self.ann_file} has labels for ILSVRC2012_val_00000001 to '
                    f'{len(self.labels):08}, but not for this image'
                )
            if labels := self.labels[int(number[1]) - 1]:
                best = sample['pred_score'].topk(max(self.topk)).indices.tolist()
                self.results.append([bool(labels & set(best[:k])) for k in self.topk])

    def compute_metrics(self, results: list[list[bool]]) -> dict[str, float]:
        """Return percentages over the images with labels, and how many these are."""
        found = {}
        for place, k in enumerate(self.topk):
            right = sum(each[place] for each in results)
            found[f'top{k}'] = 100 * right / max(len(results), 1)
        return found | {'images': len(results)}
