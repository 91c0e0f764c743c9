"""What must agree between settings of a detector's config."""

from collections.abc import Iterator, Mapping

from ...config.settings import as_list, type_at, value_at

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
    """Check that DETR keeps no more boxes of an image than it has queries."""
    model = config.get('model') or {}
    kept = (model.get('test_cfg') or {}).get('max_per_img')
    queries = model.get('num_queries', 100)
    sigmoid = value_at(model, 'bbox_head.loss_cls.use_sigmoid')  # a query may then be several boxes
    if type_at(model) == 'DETR' and kept and not sigmoid and kept > queries:
        yield f'model.test_cfg.max_per_img: is {kept}, more than model.num_queries={queries}'


def widths_of_detr_agree(config: Mapping) -> Iterator[str]:
    """Check that all parts of DETR after the neck have its width."""
    model = config.get('model') or {}
    width = value_at(model, 'neck.out_channels')
    if type_at(model) != 'DETR' or not isinstance(width, int):
        return
    for key, factor in WIDTHS_OF_DETR.items():
        value = value_at(model, key)
        if isinstance(value, int) and factor * value != width:
            wanted = width if factor == 1 else f'{width} / {factor}'
            yield f'model.{key}: is {value}, but model.neck.out_channels needs {wanted}'
