"""What must agree between settings of a classifier's config."""

from collections.abc import Iterator, Mapping

from ...configuration.data_paths import evaluators
from ...configuration.settings import as_list, type_at, value_at
from ...registry import bare_name

# What a head can read of our backbones, by its type: values of ``out_type``.
READABLE = {
    'LinearClsHead': ('cls_token', 'pooled'),
    'DistillationHead': ('cls_dist_tokens',),
}


def accuracy_names(metric: Mapping) -> list[str] | None:
    """Return what an ``Accuracy`` measures, None where its settings do not tell."""
    if 'thrs' in metric:
        return None
    prefix = metric.get('prefix') or 'accuracy'
    return [f'{prefix}/top{k}' for k in as_list(metric.get('topk', 1))]


def classes_suffice(config: Mapping) -> Iterator[str]:
    """Check that top-k accuracy asks for no more classes than the head knows."""
    classes = value_at(config.get('model'), 'head.num_classes')
    for path, metric in evaluators(config):
        most = max(as_list(metric.get('topk') or 1))
        if classes and type_at(metric) == 'Accuracy' and most > classes:
            yield f'{path}.topk: is {most}, more than model.head.num_classes={classes}'


def training_accuracy_has_enough(config: Mapping) -> Iterator[str]:
    """Check that the accuracy of training asks for no more classes than the head knows."""
    head = value_at(config, 'model.head') or {}
    most = max(as_list(head.get('topk') or 1))
    if head.get('cal_acc') and head.get('num_classes') and most > head['num_classes']:
        yield f'model.head.topk: is {most}, more than model.head.num_classes={head["num_classes"]}'


def head_reads_vectors(config: Mapping) -> Iterator[str]:
    """Check that a head gets the tokens or vectors it reads; our backbones give maps by default."""
    model = config.get('model') or {}
    kinds = [str(value_at(model, f'{part}.type')) for part in ('backbone', 'head')]
    readable = READABLE.get(bare_name(kinds[1]))
    if not readable or not kinds[0].startswith('vitbackbones.') or model.get('neck'):
        return
    if model['backbone'].get('out_type') not in readable:
        names = ' or '.join(map(repr, readable))
        yield f'model.backbone.out_type: must be {names} for model.head'


RULES = (classes_suffice, training_accuracy_has_enough, head_reads_vectors)
