"""iNaturalist 2018 and 2019 in the split of the competitions.

The archives mix training and validation images; which is which stands in ``train2018.json`` and
``val2018.json`` (torchvision's class reads the folders, and so both at once).
"""

import json
from pathlib import Path

from mmengine.dataset import BaseDataset

from ..errors import InputError
from ..utils.files import regular_file


class INaturalist(BaseDataset):
    """One competition split; ``ann_file`` is its JSON file, images lie below ``data_root``.

    Labels number the file's categories in the order of their ids.

    Raises:
        InputError: the annotation file is not of this form.
    """

    def load_data_list(self) -> list[dict]:
        try:
            with open(self.ann_file, encoding='utf-8', opener=regular_file) as file:
                content = json.load(file)
            names = {category['id']: category['name'] for category in content['categories']}
            files = {image['id']: image['file_name'] for image in content['images']}
            labels = {key: label for label, key in enumerate(sorted(names))}
            pairs = [
                (files[one['image_id']], labels[one['category_id']])
                for one in content['annotations']
            ]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(
                f'{self.ann_file}: no annotations of iNaturalist ({error!r}); they have '
                'categories, images and annotations, an id each, and refer to each other.'
            ) from error
        self._metainfo['classes'] = tuple(names[key] for key in labels)
        root = Path(self.data_root)
        return [{'img_path': str(root / file), 'gt_label': label} for file, label in pairs]
