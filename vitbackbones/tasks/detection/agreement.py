"""What must agree between settings of a detector's config, and with the maps that heads read."""

from collections.abc import Iterator, Mapping

from ...configuration.data_paths import datasets, evaluators
from ...configuration.settings import as_list, type_at, value_at
from ..agreement import Maps, Misfit, neck_remedy

DETRS = ('DETR', 'DeformableDETR', 'DINO')
BOXES_ALONE = (*DETRS, 'RetinaNet', 'FasterRCNN')
MASK_HEADS = ('roi_head.mask_head', 'mask_head', 'panoptic_head')
COCO_ITEMS = ('mAP', 'mAP_50', 'mAP_75', 'mAP_s', 'mAP_m', 'mAP_l')


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
    kept = value_at(model, 'test_cfg.max_per_img')
    queries = model.get('num_queries', 100)
    if type_at(model) not in DETRS or not isinstance(kept, int):
        return
    what = f'model.num_queries={queries}'
    count = queries
    if value_at(model, 'bbox_head.loss_cls.use_sigmoid'):  # a query may be several boxes
        classes = value_at(model, 'bbox_head.num_classes')
        what = f'{what} of {classes} classes give'
        count = queries * (classes or kept)
    if kept < 1:
        yield f'model.test_cfg.max_per_img: is {kept}, but must be at least 1 for {type_at(model)}'
    elif kept > count:
        yield f'model.test_cfg.max_per_img: is {kept}, more than {what}'


def mask_heads(config: Mapping) -> list[str]:
    """Return the keys of a model's heads that predict masks."""
    return [key for key in MASK_HEADS if value_at(config, f'model.{key}')]


def masks_are_loaded(config: Mapping) -> Iterator[str]:
    """Check that a mask head is given masks to learn from; those of BoxInst learn from boxes."""
    heads = mask_heads(config) if type_at(config.get('model')) != 'BoxInst' else []
    for path, dataset in datasets(config, ('train',)) if heads else ():
        steps = as_list(dataset.get('pipeline'))
        loading = [step for step in steps if type_at(step) == 'LoadAnnotations']
        if loading and not any(step.get('with_mask') for step in loading):
            yield (
                f'{path}.pipeline: loads no masks, but model.{heads[0]} is trained on masks; '
                'set with_mask=True in LoadAnnotations'
            )


def masks_are_for_models_of_masks(config: Mapping) -> Iterator[str]:
    """Check that no masks are measured of a model that gives boxes alone."""
    kind = type_at(config.get('model'))
    for path, metric in evaluators(config) if kind in BOXES_ALONE else ():
        if type_at(metric) == 'CocoMetric' and 'segm' in as_list(metric.get('metric')):
            yield (
                f"{path}.metric: 'segm' evaluates masks, but {kind} predicts only boxes. Remove "
                'it, or use a model with masks such as configs/_base_/models/mask_rcnn.py'
            )


# ------------------------------------------------------------------------ heads and their maps
#
# mmdet compares none of it before the first step, and a stride that is wrong never: the anchors are
# then too large or too small for what their map shows.

# Strides of the maps that a part reads, by key: of all maps, or of the first ones.
OF_ALL = tuple(
    f'{head}.{key}'
    for head in ('bbox_head', 'rpn_head', 'panoptic_head')
    for key in ('anchor_generator.strides', 'strides')
)
OF_THE_FIRST = ('roi_head.bbox_roi_extractor', 'roi_head.mask_roi_extractor')
# Numbers of levels in the attention over several of them; mmdet's default is 4 each.
COUNTS = (
    'num_feature_levels',
    'encoder.layer_cfg.self_attn_cfg.num_levels',
    'decoder.layer_cfg.cross_attn_cfg.num_levels',
)
ENCODER_WIDTH = 'encoder.layer_cfg.self_attn_cfg.embed_dims'
AS_WIDE = (
    'encoder.layer_cfg.ffn_cfg.embed_dims',
    'decoder.layer_cfg.self_attn_cfg.embed_dims',
    'decoder.layer_cfg.cross_attn_cfg.embed_dims',
    'decoder.layer_cfg.ffn_cfg.embed_dims',
    'bbox_head.embed_dims',
)


def heads_read_all_levels(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that anchors and proposals are made for the maps that there are."""
    for key in [*OF_ALL, *(f'{part}.featmap_strides' for part in OF_THE_FIRST)]:
        wanted = value_at(model, key)
        if not isinstance(wanted, list | tuple) or wanted == []:
            continue
        there = len(maps.channels)
        fits = len(wanted) == there if key in OF_ALL else len(wanted) <= there
        if all(isinstance(stride, int) for stride in wanted):  # not pairs for width and height
            known = min(len(wanted), len(maps.strides))
            fits = fits and list(wanted[:known]) == maps.strides[:known]
        if not fits:
            yield Misfit(f'model.{key}: is {wanted}, but {maps}', neck_remedy(model, maps))


def attention_reads_all_levels(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that Deformable DETR and DINO attend to as many levels as there are."""
    if type_at(model) not in ('DeformableDETR', 'DINO'):
        return
    count = len(maps.channels)
    for key in COUNTS:
        wanted = value_at(model, key)
        wanted = 4 if wanted is None else wanted
        wrong = f'model.{key}: is {wanted}, but {maps}'
        if wanted != count and maps.source == 'the neck':
            yield Misfit(f'{wrong}; set it to {count}')
        elif wanted != count:
            yield Misfit(wrong, neck_remedy(model, maps))


def detrs_read_the_maps(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that DETRs are as wide as the maps, and get no more of them than they read."""
    width = value_at(model, ENCODER_WIDTH)
    if type_at(model) not in DETRS or not isinstance(width, int):
        return
    read = maps.channels[-1:] if type_at(model) == 'DETR' else maps.channels
    made = maps.source == 'the neck'
    if len(read) < len(maps.channels) and len(value_at(model, 'neck.in_channels') or ()) == 1:
        yield Misfit(
            f'model.neck: {maps}, but DETR reads only the last', 'set model.neck.num_outs=1'
        )
    if {*read} != {width}:
        yield Misfit(
            f'model.{ENCODER_WIDTH}: is {width}, but {maps.source} gives {maps.channels}',
            f'set model.neck.out_channels={width}' if made else neck_remedy(model, maps),
        )
    for key in AS_WIDE:
        own = value_at(model, key)
        if isinstance(own, int) and own != width:
            yield Misfit(f'model.{key}: is {own}, but the encoder has {width}')


def proposals_have_the_width_of_the_maps(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check the widths from the maps to what a two-stage detector reads of a box."""
    for part, head in zip(OF_THE_FIRST, ('bbox_head', 'mask_head'), strict=True):
        if type_at(value_at(model, part)) != 'SingleRoIExtractor':  # others join levels
            continue
        keys = [f'{part}.out_channels']
        if value_at(model, 'roi_head.shared_head') is None:
            keys.append(f'roi_head.{head}.in_channels')
        for key in keys:
            wanted = value_at(model, key)
            if isinstance(wanted, int) and {*maps.channels} != {wanted}:
                given = ', '.join(map(str, dict.fromkeys(maps.channels)))
                text = (
                    f'model.{key}: is {wanted}, but the feature maps of {maps.source} have '
                    f'{given} channels'
                )
                yield Misfit(text)


def coco_metrics_know_the_truth(config: Mapping) -> Iterator[str]:
    """Check that a ``CocoMetric`` has a file, or samples that hold what it compares with."""
    for path, metric in evaluators(config):
        tested = list(datasets(config, (path.partition('_')[0],)))
        packed = any("'instances'" in str(dataset.get('pipeline')) for _, dataset in tested)
        missing = type_at(metric) == 'CocoMetric' and metric.get('ann_file') is None
        if missing and tested and not packed:
            yield f'{path}.ann_file: is missing; set it to the annotation file of {tested[0][0]}'


def coco_summaries_have_three_limits(config: Mapping) -> Iterator[str]:
    """Check ``proposal_nums``, of which only the evaluation in several processes takes fewer."""
    for path, metric in evaluators(config):
        limits = as_list(metric.get('proposal_nums', (100, 300, 1000)))
        if type_at(metric) == 'CocoMetric' and len(limits) < 3 and not metric.get('use_mp_eval'):
            yield (
                f'{path}.proposal_nums: is {limits}, but it must be a list of 3 or more, because '
                'the COCO summary reads three; or set use_mp_eval=True'
            )


RULES = (
    queries_suffice,
    masks_are_loaded,
    masks_are_for_models_of_masks,
    coco_metrics_know_the_truth,
    coco_summaries_have_three_limits,
)
FITS = (
    heads_read_all_levels,
    attention_reads_all_levels,
    detrs_read_the_maps,
    proposals_have_the_width_of_the_maps,
)


def is_panoptic(dataset: Mapping) -> bool:
    """Return whether a dataset is in COCO's panoptic format."""
    return type_at(dataset) == 'CocoPanopticDataset'
