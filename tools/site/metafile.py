"""What OpenMMLab's tools read of the configs: ``model-index.yml`` and ``metafile.yml``.

A model is a config. Its facts are those of the config's header; its results those that a paper
printed, and those that were measured for the weights that come along, each marked as what it is;
its weights those that fill the config as they are.
"""

from collections.abc import Iterator
from pathlib import Path

import yaml
from papers import RESULTS, Result

from vitbackbones.backbones.names import published_name
from vitbackbones.configuration.index import facts, run_configs
from vitbackbones.weights import DETECTORS, PUBLISHED
from vitbackbones.weights.trained import trained_weights

ROOT = Path(__file__).resolve().parents[2]
# How headers and tables call a paper, and its title in CITATION.cff.
COLLECTIONS = {
    'DeiT': 'Training data-efficient image transformers & distillation through attention',
    'Aug-ViT': 'Augmented Shortcuts for Vision Transformers',
    'PVT': 'Pyramid Vision Transformer: A Versatile Backbone for Dense Prediction without '
    'Convolutions',
    'T2T-ViT': 'Tokens-to-Token ViT: Training Vision Transformers from Scratch on ImageNet',
    'TNT': 'Transformer in Transformer',
    'SReT': 'Sliced Recursive Transformer',
    'MSF': 'Mean-Shift Feature Transformer',
    'Swin': 'Swin Transformer: Hierarchical Vision Transformer using Shifted Windows',
    'SETR': 'Rethinking Semantic Segmentation from a Sequence-to-Sequence Perspective with '
    'Transformers',
    'Mask2Former': 'Masked-attention Mask Transformer for Universal Image Segmentation',
    'EoMT': 'Your ViT is Secretly an Image Segmentation Model',
}
DATA = {
    'ade20k': 'ADE20K',
    'bccd': 'BCCD',
    'camvid': 'CamVid',
    'cifar10': 'CIFAR-10',
    'cifar100': 'CIFAR-100',
    'coco': 'COCO',
    'flowers102': 'Oxford Flowers-102',
    'imagenet': 'ImageNet-1k',
    'inat2018': 'iNaturalist 2018',
    'inat2019': 'iNaturalist 2019',
    'own': 'pictures of a user',
    'pets': 'Oxford-IIIT Pets',
    'pretrain': 'Tiny-ImageNet',
    'shapes': 'Shapes',
}
AP = ('AP', 'AP50', 'AP75', 'APs', 'APm', 'APl')
CLASSIFICATION = 'Image Classification', ('top-1',)
BOXES = 'Object Detection', tuple(f'box {name}' for name in AP)
MASKS = 'Instance Segmentation', tuple(f'mask {name}' for name in AP)
# By the task of a result, for each part of its value between slashes: task, and metrics.
PRINTED = {
    'coco': (BOXES,),
    'coco_retinanet': (BOXES,),
    'coco_masks': (BOXES, MASKS),
    'coco_instances': (MASKS,),
    'coco_panoptic': (('Panoptic Segmentation', ('PQ',)),),
    'coco_eomt_panoptic': (('Panoptic Segmentation', ('PQ',)),),
    'ade20k': (
        ('Semantic Segmentation', ('mIoU',)),
        ('Semantic Segmentation', ('mIoU (several scales and flips)',)),
    ),
}
TASKS = {
    'object-detection': 'Object Detection',
    'image-segmentation': 'Semantic Segmentation',
}
INDEX = {'Import': ['metafile.yml']}


def metafile() -> dict:
    """Return the collections and the models."""
    references = yaml.safe_load((ROOT / 'CITATION.cff').read_text())['references']
    addresses = {each['title']: each['url'] for each in references}
    return {
        'Collections': [
            {'Name': name, 'Paper': {'Title': title, 'URL': addresses[title]}}
            for name, title in COLLECTIONS.items()
        ],
        'Models': [_model(*each) for each in run_configs(ROOT / 'configs').items()],
    }


def _model(name: str, file: Path) -> dict:
    """Return what is known of a config."""
    said, data = facts(file), DATA[file.parent.name]
    said['Training Data'] = data
    said['Training Resources'] = said.pop('Hardware')
    if 'Weights' in said:
        said['Starts from'] = said.pop('Weights')
    known = {'Name': name, 'Config': file.relative_to(ROOT).as_posix(), 'Metadata': said}
    paper = said.get('Reproduces', '').replace(',', ' ').partition(' ')[0]
    if paper in COLLECTIONS:
        known['In Collection'] = paper
    results = [
        result
        for printed in RESULTS
        if printed.config == name
        for result in _printed(printed, data)
    ]
    if results := results + [*_measured(name)]:
        known['Results'] = results
    if address := _weights(name):
        known['Weights'] = address
    return known


def _printed(result: Result, data: str) -> Iterator[dict]:
    """Yield a published result, for each of its tasks."""
    kinds = PRINTED.get(result.task) or PRINTED.get(result.task.partition('_')[0])
    values = result.value.split(' / ')
    for (task, names), value in zip(kinds or (CLASSIFICATION,), values, strict=False):
        metrics = {
            f'{metric} (printed)': float(number)
            for metric, number in zip(names, value.split(), strict=False)
        }
        yield {'Task': task, 'Dataset': data, 'Metrics': metrics, 'Source': result.source}


def _measured(name: str) -> Iterator[dict]:
    """Yield what the card of weights that come along has."""
    if name in trained_weights():
        card = trained_weights()[name].with_suffix('.md').read_text()
        front = yaml.safe_load(card.split('---\n')[1])
        (result,) = front['model-index'][0]['results']
        metrics = {f'{each["type"]} (measured)': each['value'] for each in result['metrics']}
        task = TASKS[result['task']['type']]
        data, source = DATA[result['dataset']['type']], 'log of the run, validation pictures'
        yield {'Task': task, 'Dataset': data, 'Metrics': metrics, 'Source': source}


def _weights(name: str) -> str | None:
    """Return the address of the weights that fill a config as it is."""
    for row in DETECTORS.values():
        if row.config == name and not row.options:
            return row.url
    published = published_name(name)
    return PUBLISHED[published].url if published else None


def write() -> None:
    """Write both files into the root."""
    for name, content in {'model-index.yml': INDEX, 'metafile.yml': metafile()}.items():
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
        (ROOT / name).write_text(f'# made by tools/site/pages.py\n{text}')
