"""Data of version 2, as loaders, evaluators and the preprocessor of version 3."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os.path import basename, dirname, join
from typing import Any

from .. import SPLITS
from ..settings import as_list
from .pipelines import MMDET, MMPRETRAIN, MMSEG, Pipeline, convert_pipeline
from .tables import table

PREFIXES = table('prefix')
# their images and boxes are in one folder
OF_XML = ('VOCDataset', 'XMLDataset', 'WIDERFaceDataset')
# what may be a list, of as many datasets one after the other
LISTS = ('ann_file', 'img_prefix', 'img_dir', 'ann_dir', 'split')
WRAPPERS = ('RepeatDataset', 'ClassBalancedDataset', 'MultiImageMixDataset', 'ConcatDataset')
OF_COCO = {'bbox', 'segm', 'proposal', 'proposal_fast'}
SIZE = 'samples_per_gpu'  # in ``data``, and in each dataset of a test
COCO_OPTIONS = ('classwise', 'proposal_nums', 'iou_thrs', 'metric_items')  # of ``evaluation``


@dataclass
class Loaded:
    """A dataset of version 3, and the pipelines in it as they were converted."""

    dataset: dict
    pipelines: list[Pipeline] = field(default_factory=list)


def convert_dataset(old: Mapping[str, Any], toolbox: str) -> Loaded:
    """Return a dataset as version 3 has it; a wrapper with what it wraps."""
    new = _parts(dict(old))
    found = Loaded(new)
    if 'pipeline' in new:
        pipeline = convert_pipeline(new['pipeline'], toolbox)
        new['pipeline'] = pipeline.steps
        found.pipelines.append(pipeline)
    for key in ('dataset', 'datasets'):
        if key in new:
            parts = [convert_dataset(part, toolbox) for part in as_list(new[key])]
            datasets = [part.dataset for part in parts]
            new[key] = datasets if isinstance(new[key], Sequence) else datasets[0]
            found.pipelines += [pipeline for part in parts for pipeline in part.pipelines]
    if new['type'] not in WRAPPERS:
        _rename(new, toolbox)
    return found


def _parts(old: dict) -> dict:
    """Return a dataset of several files as several datasets, and others as they are."""
    lists = {key: old[key] for key in LISTS if isinstance(old.get(key), list | tuple)}
    if not lists:
        return old
    count = max(map(len, lists.values()))
    parts = [old | {key: value[i] for key, value in lists.items()} for i in range(count)]
    return {'type': 'ConcatDataset', 'datasets': parts}


def _rename(new: dict, toolbox: str) -> None:
    prefixes = {PREFIXES[key]: new.pop(key) for key in PREFIXES if new.get(key)}
    if new['type'] in OF_XML and 'img' in prefixes:
        prefixes = {'sub_data_root': prefixes['img']}
    if prefixes:
        new['data_prefix'] = prefixes
    if toolbox == MMPRETRAIN and new.get('data_prefix') and not new.get('data_root'):
        _split_root(new)
    if toolbox == MMSEG and 'split' in new:
        new['ann_file'] = new.pop('split')
    if toolbox == MMSEG and new['type'] == 'CustomDataset':
        new['type'] = 'BaseSegDataset'
    about = {key: new.pop(key) for key in ('classes', 'palette') if new.get(key) is not None}
    if about:
        new['metainfo'] = about
    if 'file_client_args' in new:
        new['backend_args'] = new.pop('file_client_args')
    if toolbox == MMDET:
        empty = not new.pop('filter_empty_gt', True)
        new['filter_cfg'] = {'filter_empty_gt': not empty, 'min_size': new.pop('min_size', 32)}


def _split_root(new: dict) -> None:
    """Give a dataset of mmcls a data root, in place, so that ``--data-root`` can replace it."""
    folder = new['data_prefix'].rstrip('/')
    root = dirname(folder)
    file = new.get('ann_file') or ''
    if root and (not file or file.startswith(f'{root}/')):
        new |= {'data_root': root, 'data_prefix': basename(folder)}
        new |= {'ann_file': file.removeprefix(f'{root}/')} if file else {}


def loaders(
    config: Mapping[str, Any], toolbox: str, length: Mapping[str, Any]
) -> tuple[dict[str, dict], list[Pipeline]]:
    """Return the loader of each split that ``data`` has, by its key, and their pipelines.

    Args:
        config: of version 2.
        toolbox: of the config.
        length: ``train_cfg`` of version 3.
    """
    data = config['data']
    by_epoch = 'max_epochs' in length
    pipelines: list[Pipeline] = []
    found = {}
    for split in SPLITS:
        if split not in data:
            continue
        old = data[split]
        if isinstance(old, Sequence):  # several datasets one after the other
            old = {'type': 'ConcatDataset', 'datasets': old}
        loaded = convert_dataset(old, toolbox)
        pipelines += loaded.pipelines
        training = split == 'train'
        if training:
            sampler = {'type': 'DefaultSampler' if by_epoch else 'InfiniteSampler', 'shuffle': True}
        else:
            sampler = {'type': 'DefaultSampler', 'shuffle': False}
            loaded.dataset.pop('filter_cfg', None)
            if toolbox == MMDET:
                loaded.dataset['test_mode'] = True
        own = data.get(f'{split}_dataloader') or {}
        alone = 1 if toolbox != MMPRETRAIN else data.get(SIZE, 1)
        size = data.get(SIZE, 1) if training else loaded.dataset.pop(SIZE, alone)
        size = own.get(SIZE, size)
        workers = own.get('workers_per_gpu', data.get('workers_per_gpu', 2))
        loader = {'batch_size': size, 'num_workers': workers, 'sampler': sampler}
        loader['persistent_workers'] = workers > 0
        if training and toolbox == MMDET:
            loader['batch_sampler'] = {'type': 'AspectRatioBatchSampler'}
        found[f'{split}_dataloader'] = loader | {'dataset': loaded.dataset}
    return found, pipelines


def evaluator(dataset: Mapping[str, Any], evaluation: Mapping[str, Any], toolbox: str) -> dict:
    """Return the metric of a split.

    Args:
        dataset: of version 3.
        evaluation: that of version 2.
        toolbox: of the config.
    """
    names = as_list(evaluation.get('metric', []))
    if toolbox == MMSEG:
        return {'type': 'IoUMetric', 'iou_metrics': names or ['mIoU']}
    if toolbox == MMPRETRAIN:
        options = evaluation.get('metric_options') or {}
        return {'type': 'Accuracy', 'topk': options.get('topk', (1, 5))}
    if 'mAP' in names:
        return {'type': 'VOCMetric', 'metric': 'mAP', 'eval_mode': '11points'}
    files = _file_of(dataset)
    if 'PQ' in names:
        return {'type': 'CocoPanopticMetric', **files}
    kind = 'LVISMetric' if 'LVIS' in dataset['type'] else 'CocoMetric'
    metrics = [name for name in names if name in OF_COCO] or ['bbox']
    options = {key: evaluation[key] for key in COCO_OPTIONS if key in evaluation}
    return {'type': kind, **files, 'metric': metrics, **options}


def _file_of(dataset: Mapping[str, Any]) -> dict[str, str]:
    """Return ``ann_file`` of a metric: with the data root, which version 3 does not add to it."""
    inside = dataset.get('dataset') or as_list(dataset.get('datasets', []))[:1]
    if inside:
        return _file_of(as_list(inside)[0])
    return {'ann_file': join(dataset.get('data_root') or '', dataset.get('ann_file') or '')}


def preprocessor(config: Mapping[str, Any], pipelines: Sequence[Pipeline], toolbox: str) -> dict:
    """Return ``model.data_preprocessor``, or for mmpretrain that beside the model.

    Args:
        config: of version 2.
        pipelines: of all splits, the training's first.
        toolbox: of the config.
    """
    normalize = next((x.normalize for x in pipelines if x.normalize), {})
    found = {key: normalize[key] for key in ('mean', 'std') if key in normalize}
    to_rgb = bool(normalize) and normalize.get('to_rgb', True)  # YOLOX does not normalize
    if toolbox == MMPRETRAIN:
        head = as_list(config['model'].get('head') or {})[0]
        classes = {'num_classes': head['num_classes']} if 'num_classes' in head else {}
        return found | {'to_rgb': to_rgb} | classes
    found |= {'bgr_to_rgb': to_rgb}
    if toolbox == MMSEG:
        crops = [x for p in pipelines for x in p.steps if x['type'] == 'RandomCrop']
        size = {'size': crops[0]['crop_size']} if crops else {'size_divisor': 1}
        return {'type': 'SegDataPreProcessor', 'pad_val': 0, 'seg_pad_val': 255} | found | size
    divisors = [x.pad['size_divisor'] for x in pipelines if 'size_divisor' in x.pad]
    loads = [x for p in pipelines for x in p.steps if x['type'] == 'LoadAnnotations']
    options: dict[str, Any] = {'pad_mask': True} if any(x.get('with_mask') for x in loads) else {}
    if any(x.get('with_seg') for x in loads):
        options['pad_seg'] = True
    if 'random_size_range' in config['model']:
        options['batch_augments'] = [_random_sizes(config['model'])]
    return (
        {'type': 'DetDataPreprocessor', 'pad_size_divisor': (divisors or [1])[0]} | found | options
    )


def _random_sizes(model: Mapping[str, Any]) -> dict:
    """Return what resizes batches as YOLOX of version 2 did itself."""
    least, most = model['random_size_range']  # in steps of 32 pixels
    interval = model.get('random_size_interval', 10)
    sizes = {'random_size_range': (32 * least, 32 * most), 'size_divisor': 32}
    return {'type': 'BatchSyncRandomResize', **sizes, 'interval': interval}
