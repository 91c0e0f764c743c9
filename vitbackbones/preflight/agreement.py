"""What must agree between settings of a config that are each valid for themselves.

Most of it would show after an epoch, at the first evaluation, and some never.
"""

from collections.abc import Callable, Iterator, Mapping

from ..config.data import evaluators
from ..config.lookup import Lookup
from ..config.settings import as_list, value_at
from ..messages import did_you_mean
from ..registry import bare_name

# What the last step of a pipeline makes of a sample for the models of a toolbox.
PACKERS = {'mmdet': 'PackDetInputs', 'mmseg': 'PackSegInputs', 'mmpretrain': 'PackInputs'}

# What the metrics of our configs measure, by the type of the evaluator. None: anything.
COCO_ITEMS = ('mAP', 'mAP_50', 'mAP_75', 'mAP_s', 'mAP_m', 'mAP_l')
IOU_NAMES = {
    'mIoU': ('aAcc', 'mIoU', 'mAcc'),
    'mDice': ('aAcc', 'mDice', 'mAcc'),
    'mFscore': ('aAcc', 'mFscore', 'mPrecision', 'mRecall'),
}


def _coco(metric: Mapping) -> list[str] | None:
    kinds = as_list(metric.get('metric', 'bbox'))
    if metric.get('classwise') or not {*kinds} <= {'bbox', 'segm'}:
        return None
    prefix = metric.get('prefix') or 'coco'
    return [f'{prefix}/{kind}_{item}' for kind in kinds for item in COCO_ITEMS]


def _iou(metric: Mapping) -> list[str] | None:
    if metric.get('prefix'):
        return None
    kinds = as_list(metric.get('iou_metrics', 'mIoU'))
    return [name for kind in kinds for name in IOU_NAMES.get(kind, ())]


def _accuracy(metric: Mapping) -> list[str] | None:
    if 'thrs' in metric:
        return None
    prefix = metric.get('prefix') or 'accuracy'
    return [f'{prefix}/top{k}' for k in as_list(metric.get('topk', 1))]


# What the metrics of our configs measure, by type; None where the config does not tell.
MEASURED: dict[str, Callable[[Mapping], list[str] | None]] = {
    'CocoMetric': _coco,
    'IoUMetric': _iou,
    'Accuracy': _accuracy,
}


def _name(node: Mapping) -> str:
    """The type of a dict without its scope."""
    return bare_name(value_at(node, 'type'))


def _best_is_measured(config: Mapping) -> Iterator[str]:
    hook = (config.get('default_hooks') or {}).get('checkpoint') or {}
    wanted = [name for name in as_list(hook.get('save_best')) if name not in (None, 'auto')]
    metrics = [metric for _, metric in evaluators(config, ('val',))]
    found = [MEASURED.get(_name(metric), lambda _: None)(metric) for metric in metrics]
    if None in found:
        return
    known = list(dict.fromkeys(name for names in found for name in names))
    for name in wanted:
        if name not in known:
            hint = did_you_mean(name, known, most=1, cutoff=0.5) or f'; known: {", ".join(known)}'
            place = 'default_hooks.checkpoint.save_best'
            yield f'{place}: {name!r} is not measured by val_evaluator{hint}'


def missing_sections(config: Mapping) -> Iterator[str]:
    """Findings for splits in parts: a runner wants all of one or nothing."""
    for split in ('val', 'test'):
        sections = [f'{split}_dataloader', f'{split}_cfg', f'{split}_evaluator']
        missing = [section for section in sections if config.get(section) is None]
        if missing and len(missing) < len(sections):
            given = ', '.join(section for section in sections if section not in missing)
            yield f'{missing[0]}: is missing beside {given}; give all of them or none'


def _queries_suffice(config: Mapping) -> Iterator[str]:
    model = config.get('model') or {}
    kept = (model.get('test_cfg') or {}).get('max_per_img')
    queries = model.get('num_queries', 100)
    sigmoid = value_at(model, 'bbox_head.loss_cls.use_sigmoid')  # a query may then be several boxes
    if _name(model) == 'DETR' and kept and not sigmoid and kept > queries:
        yield f'model.test_cfg.max_per_img: is {kept}, more than model.num_queries={queries}'


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


def _widths_of_detr(config: Mapping) -> Iterator[str]:
    model = config.get('model') or {}
    width = value_at(model, 'neck.out_channels')
    if _name(model) != 'DETR' or not isinstance(width, int):
        return
    for key, factor in WIDTHS_OF_DETR.items():
        value = value_at(model, key)
        if isinstance(value, int) and factor * value != width:
            wanted = width if factor == 1 else f'{width} / {factor}'
            yield f'model.{key}: is {value}, but model.neck.out_channels needs {wanted}'


def _windows_cover(config: Mapping) -> Iterator[str]:
    """mmseg slides a window in steps no larger than it is."""
    model = config.get('model') or {}
    settings = model.get('test_cfg') or {}
    if _name(model) != 'EncoderDecoder' or settings.get('mode') != 'slide':
        return
    missing = [key for key in ('crop_size', 'stride') if settings.get(key) is None]
    if missing:
        yield f"model.test_cfg.{missing[0]}: is missing, mode='slide' needs it"
        return
    window, step = (settings[key] for key in ('crop_size', 'stride'))
    if all(isinstance(pair, list | tuple) for pair in (window, step)) and (
        step[0] > window[0] or step[1] > window[1]
    ):
        yield f'model.test_cfg.stride: is {step}, larger than crop_size={window}: it leaves gaps'


def _classes_suffice(config: Mapping) -> Iterator[str]:
    classes = value_at(config.get('model'), 'head.num_classes')
    for path, metric in evaluators(config):
        most = max(as_list(metric.get('topk') or 1))
        if classes and _name(metric) == 'Accuracy' and most > classes:
            yield f'{path}.topk: is {most}, more than model.head.num_classes={classes}'


def _head_reads_vectors(config: Mapping) -> Iterator[str]:
    """A linear classifier cannot read maps, which our backbones give if nothing is said."""
    model = config.get('model') or {}
    kinds = [str(value_at(model, f'{part}.type')) for part in ('backbone', 'head')]
    linear = kinds[0].startswith('vitbackbones.') and kinds[1].endswith('LinearClsHead')
    if linear and not model.get('neck') and model['backbone'].get('out_type') in (None, 'featmap'):
        yield "model.backbone.out_type: must be 'cls_token' or 'pooled' for model.head"


def _pipelines_pack(config: Mapping) -> Iterator[str]:
    """The models of the toolboxes read nothing but packed samples."""
    packer = PACKERS.get(config.get('default_scope'))
    for split in ('train', 'val', 'test') if packer else ():
        path = f'{split}_dataloader.dataset.pipeline'
        steps = value_at(config, path)
        if isinstance(steps, list) and not _may_pack(steps, config['default_scope']):
            yield f'{path}: nothing in it packs samples for the model; end it with {packer!r}'


def _may_pack(steps: list, scope: str) -> bool:
    """Whether the last step packs, by itself or in its branches, or is not from a toolbox."""
    if not steps:
        return False
    targets = Lookup(scope).find(str(value_at(steps[-1], 'type'))).values()
    shipped = [target.__module__.partition('.')[0] in ('mmcv', scope) for target in targets]
    return 'Pack' in str(steps[-1]) or not any(shipped)


RULES = (
    _classes_suffice,
    _head_reads_vectors,
    _best_is_measured,
    _queries_suffice,
    _pipelines_pack,
    _widths_of_detr,
    _windows_cover,
)


def disagreements(config: Mapping) -> list[str]:
    """Findings of all rules, in a config whose single values are valid."""
    return [finding for rule in RULES for finding in rule(config)]
