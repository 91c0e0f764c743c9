"""The names of the models: which backbone with which arguments, and what a head reads of it."""

from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from ..errors import OptionError
from ..utils.messages import did_you_mean
from ..weights import PUBLISHED
from . import HOSTS
from .foreign.timm_models import Timm, weights_of

# name: (backbone, its arguments, what the head reads), as the backbones say themselves; a class
# does not answer to the names of the one that it derives from
MODELS = {
    name: (host, arguments, arguments.get('out_type', host.head_input))
    for host in HOSTS
    for name, arguments in vars(host).get('classifiers', {}).items()
}


def list_models(
    filter: str | Iterable[str] = '*',
    pretrained: bool = False,
    exclude_filters: str | Iterable[str] = (),
) -> list[str]:
    """Return the names that :func:`create_model` knows, in alphabetical order.

    Args:
        filter: a pattern with wildcards, such as ``'tnt*'``, or several.
        pretrained: only those whose published weights can be downloaded.
        exclude_filters: patterns of names to leave out.
    """
    names = [name for name in MODELS if _fits(name, filter or '*')]
    names = [name for name in names if not _fits(name, exclude_filters)]
    if pretrained:
        names = [name for name in names if name in PUBLISHED and PUBLISHED[name].url is not None]
    return sorted(names)


OF_TIMM = 'timm:'  # before a name of timm


def entry_of(name: str) -> tuple:
    """Return the entry of a name in :data:`MODELS`, or one like it for ``timm:NAME``.

    Raises:
        OptionError: there is none.
    """
    if name.startswith(OF_TIMM):
        return Timm, {'name': name.removeprefix(OF_TIMM), 'pre_logits': True}, 'pooled'
    require_name(name)
    return MODELS[name]


def published_start(name: str) -> str:
    """Return by what ``weights.fetch`` finds the weights that were published for a model."""
    of_timm = name.startswith(OF_TIMM)
    return (weights_of(name.removeprefix(OF_TIMM)) if of_timm else None) or name


def require_name(name: str) -> None:
    """Raise an ``OptionError`` with the nearest names unless ``name`` is in :data:`MODELS`."""
    if name in MODELS:
        return
    timm = {Path(row.hf_hub).stem: key for key, row in PUBLISHED.items() if row.hf_hub}
    weights = timm.get(name.partition('.')[0], name)
    row = PUBLISHED.get(weights)
    if row and (row.model in MODELS or row.model.startswith(OF_TIMM)):
        size = row.input_size[-1]
        image = f', img_size={size}' if size != 224 else ''
        file = f', checkpoint={weights!r}' if weights != row.model else ''
        raise OptionError(f'unknown model {name!r}; create_model({row.model!r}{image}{file})')
    of_timm = f'. For a network of timm, write {OF_TIMM + name!r}'
    hint = did_you_mean(name, MODELS.keys()) or f'; known: {", ".join(list_models())}{of_timm}'
    raise OptionError(f'unknown model {name!r}{hint}')


def _fits(name: str, patterns: str | Iterable[str]) -> bool:
    patterns = [patterns] if isinstance(patterns, str) else patterns
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def published_name(config: str) -> str | None:
    """Return the name of the weights that were published for a shipped classifier, if any."""
    name = config.removeprefix('cls_').removesuffix('_imagenet')
    fills = name in PUBLISHED and PUBLISHED[name].model in MODELS
    return name if fills and config == f'cls_{name}_imagenet' else None
