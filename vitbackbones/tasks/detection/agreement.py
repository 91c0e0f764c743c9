"""What must agree between settings of a detector's config."""

from collections.abc import Iterator, Mapping

from ...configuration.data_paths import datasets, evaluators
from ...configuration.settings import as_list, type_at, value_at

DETRS = ('DETR', 'DeformableDETR', 'DINO')
BOXES_ALONE = (*DETRS, 'RetinaNet', 'FasterRCNN')
MASK_HEADS = ('roi_head.mask_head', 'mask_head', 'panoptic_head')
COCO_ITEMS = ('mAP', 'mAP_50', 'mAP_75', 'mAP_s', 'mAP_m', 'mAP_l')
WIDTHS_OF_DETR = {
    'neck.out_channels': 1,
    'encoder.layer_cfg.self_attn_cfg.embed_dims': 1,
    'encoder.layer_cfg.ffn_cfg.embed_dims': 1,
    'decoder.layer_cfg.self_attn_cfg.embed_dims': 1,
    'decoder.layer_cfg.cross_attn_cfg.embed_dims': 1,
    'decoder.layer_cfg.ffn_cfg.embed_dims': 1,
    'bbox_head.embed_dims': 1,
    'positional_encoding.num_feats': 2,  # each for x and y
}


def coco_names(metric: Mapping) -> list[str] | None:
    """Return what a ``CocoMetric`` measures, None where its settings do not tell."""
    kinds = as_list(metric.get('metric', 'bbox'))
    if metric.get('classwise') or not {*kinds} <= {'bbox', 'segm'}:
        return None
    prefix = metric.get('prefix') or 'coco'
    return [f'{prefix}/{kind}_{item}' for kind in kinds for item in COCO_ITEMS]


def panoptic_names(metric: Mapping) -> list[str]:
    """Return what a ``CocoPanopticMetric`` measures."""
    prefix = metric.get('prefix') or 'coco_panoptic'
    groups = ('', '_th', '_st')  # all, things, stuff
    return [f'{prefix}/{quality}{group}' for group in groups for quality in ('PQ', 'SQ', 'RQ')]


def queries_suffice(config: Mapping) -> Iterator[str]:
    """Check that DETR and its descendants keep no more boxes of an image than queries give."""
    model = config.get('model') or {}
    kept, queries = value_at(model, 'test_cfg.max_per_img'), model.get('num_queries', 100)
    if type_at(model) not in DETRS or not isinstance(kept, int):
        return
    what, count = f'model.num_queries={queries}', queries
    if value_at(model, 'bbox_head.loss_cls.use_sigmoid'):  # a query may be several boxes
        classes = value_at(model, 'bbox_head.num_classes')
        what, count = f'{what} of {classes} classes give', queries * (classes or kept)
    if kept < 1:
        yield f'model.test_cfg.max_per_img: is {kept}, but {type_at(model)} needs a number from 1'
    elif kept > count:
        yield f'model.test_cfg.max_per_img: is {kept}, more than {what}'


def coco_metrics_know_the_truth(config: Mapping) -> Iterator[str]:
    """Check that a ``CocoMetric`` has a file, or samples that hold what it compares with."""
    for path, metric in evaluators(config):
        tested = list(datasets(config, (path.partition('_')[0],)))
        packed = any("'instances'" in str(dataset.get('pipeline')) for _, dataset in tested)
        missing = type_at(metric) == 'CocoMetric' and metric.get('ann_file') is None
        if missing and tested and not packed:
            yield f'{path}.ann_file: is missing; set it to the annotations of {tested[0][0]}'


def widths_of_detr_agree(config: Mapping) -> Iterator[str]:
    """Check that all parts of DETR and its descendants after the neck have its width."""
    model = config.get('model') or {}
    width = value_at(model, 'neck.out_channels')
    if type_at(model) not in DETRS or not isinstance(width, int):
        return
    for key, factor in WIDTHS_OF_DETR.items():
        value = value_at(model, key)
        if isinstance(value, int) and factor * value != width:
            wanted = width if factor == 1 else f'{width} / {factor}'
            yield f'model.{key}: is {value}, but model.neck.out_channels needs {wanted}'


def mask_heads(config: Mapping) -> list[str]:
    """Return the keys of a model's heads that predict masks."""
    return [key for key in MASK_HEADS if value_at(config, f'model.{key}')]


def masks_are_loaded(config: Mapping) -> Iterator[str]:
    """Check that a mask head is given masks to learn from."""
    heads = mask_heads(config)
    for path, dataset in datasets(config, ('train',)) if heads else ():
        steps = as_list(dataset.get('pipeline'))
        loading = [step for step in steps if type_at(step) == 'LoadAnnotations']
        if loading and not any(step.get('with_mask') for step in loading):
            yield (
                f'{path}.pipeline: loads no masks, which model.{heads[0]} learns from; set '
                'with_mask=True in LoadAnnotations'
            )


def masks_are_for_models_of_masks(config: Mapping) -> Iterator[str]:
    """Check that no masks are measured of a model that gives boxes alone."""
    kind = type_at(config.get('model'))
    for path, metric in evaluators(config) if kind in BOXES_ALONE else ():
        if type_at(metric) == 'CocoMetric' and 'segm' in as_list(metric.get('metric')):
            yield (
                f"{path}.metric: 'segm' measures masks, but {kind} gives boxes alone; leave it "
                'out, or take a model with masks such as configs/_base_/models/mask_rcnn.py'
            )
