"""Configs of the Shapes data in ``data``, reduced to what names data and metrics."""

from mmengine.config import Config

from vitbackbones.data import shapes


def dataset(split, **changes):
    return {
        'type': 'CocoDataset',
        'data_root': 'data/',
        'ann_file': f'annotations/instances_{split}.json',
        'data_prefix': {'img': f'images/{split}/'},
        'metainfo': {'classes': shapes.KINDS},
        **changes,
    }


def make_config(train=None, val=None, **changes):
    evaluator = {'type': 'CocoMetric', 'ann_file': 'data/annotations/instances_val.json'}
    return Config(
        {
            'default_scope': 'mmdet',
            'train_dataloader': {'dataset': train or dataset('train')},
            'val_dataloader': {'dataset': val or dataset('val', test_mode=True)},
            'val_evaluator': evaluator,
            'test_evaluator': [evaluator],
            **changes,
        }
    )


def make_mask_config(**changes):
    masks = {
        'type': 'BaseSegDataset',
        'data_root': 'data/',
        'data_prefix': {'img_path': 'images/train', 'seg_map_path': 'annotations/train'},
        'metainfo': {'classes': (shapes.GROUND, *shapes.KINDS)},
        'reduce_zero_label': True,
        **changes,
    }
    return Config({'default_scope': 'mmseg', 'train_dataloader': {'dataset': masks}})
