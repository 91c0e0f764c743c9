"""Images and masks from a list of pairs, for folders without a common suffix."""

import os

from mmseg.datasets import BaseSegDataset

from ..checks.coco_file import load_json


class MaskPairs(BaseSegDataset):
    """mmseg's ``BaseSegDataset`` whose ``ann_file`` lists pictures and masks.

    It is JSON, ``[["a.jpg", "a_mask.png"], ...]``, relative to the two folders of ``data_prefix``.
    """

    def load_data_list(self) -> list[dict]:
        image_folder, mask_folder = (self.data_prefix[key] for key in ('img_path', 'seg_map_path'))
        return [
            {
                'img_path': os.path.join(image_folder, image),
                'seg_map_path': os.path.join(mask_folder, mask),
                'label_map': self.label_map,
                'reduce_zero_label': self.reduce_zero_label,
                'seg_fields': [],
            }
            for image, mask in load_json(self.ann_file)
        ]
