"""Whether images are normalized as those that the starting weights were trained on.

The shipped configs are, but for SETR's, whose published recipe is not. Weights from elsewhere may
have seen other images, as DeiT's in place of Aug-ViT's. Nothing is changed here: a mean that only
training took from the table would be missing in every later test of the same config.
"""

from collections.abc import Mapping

from ...backbones.names import MODELS
from ...backbones.preprocessing import named_config
from ...weights import PUBLISHED
from ...weights.by_name import name_of
from ...weights.filling import INITIALIZERS
from ..settings import value_at

KEY = 'model.data_preprocessor'


def check_normalization(config: Mapping) -> list[str]:
    """Return a line where mean or deviation are not those of the weights that a run starts from.

    Weights are known by the name of their file, as published or of the model.
    """
    name = name_of(_start(config['model']) or '')
    images = value_at(config, KEY)
    if name not in {*MODELS, *PUBLISHED} or not value_at(images, 'mean'):
        return []
    said = {key: [round(255 * x, 3) for x in named_config(name)[key]] for key in ('mean', 'std')}
    if all(_agree(said[key], images[key]) for key in said):
        return []
    return [
        f'weights of {name} saw images of mean {_listed(said["mean"])} and std '
        f'{_listed(said["std"])}, {KEY} has {_listed(images["mean"])} and '
        f'{_listed(images["std"])}, as some published recipes do; to train and test as the weights '
        'were: --cfg-options ' + ' '.join(f'{KEY}.{key}={_listed(said[key])}' for key in said)
    ]


def _start(model: Mapping) -> str | None:
    """Return the checkpoint that a model or its backbone starts from."""
    for key in ('init_cfg', 'backbone.init_cfg'):
        if value_at(model, f'{key}.type') in INITIALIZERS:
            return value_at(model, f'{key}.checkpoint')
    return None


def _agree(ours: list[float], theirs: list[float]) -> bool:
    """Return whether two are the same to half a level of 8 bits, as RGB or as BGR."""
    pairs = zip(sorted(ours), sorted(theirs), strict=False)
    return all(abs(a - b) < 0.5 for a, b in pairs)


def _listed(values: list[float]) -> str:
    """Write numbers as --cfg-options reads them."""
    return f'[{",".join(f"{value:g}" for value in values)}]'
