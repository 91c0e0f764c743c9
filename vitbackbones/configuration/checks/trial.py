"""A model built without memory, to learn its widths and the names of its parameters.

On torch's ``meta`` device a network of any size takes a fraction of a second. What its parts hand
to each other can be compared with the config before data are read, and without the words in which
torch says it ("Given groups=1, weight of size ...").
"""

from collections.abc import Iterator

from mmengine.config import Config
from mmengine.registry import MODELS, DefaultScope
from torch import nn

from ...openmmlab.widths import build_without_memory
from ...utils.messages import did_you_mean
from ...utils.processes import show_warnings
from ..lint import report
from ..settings import model_settings
from .agreement import missing_sections
from .explain import explained
from .fit import misfits

# Parts of parameter names that recipes for several models list, whether this one has them or not.
SHARED = {'cls_token', 'dist_token', 'pos_embed', 'patch_pos', 'pixel_pos'}
SHARED |= {'.shortcut', '.shortcut_', '.pos_embed', 'relative_position_bias_table'}
SHARED |= {f'.{norm}.{part}' for norm in ('norm', 'norm1', 'norm2') for part in ('weight', 'bias')}


def try_model(config: Config) -> None:
    """Build the model of ``config`` for a look at it; warn of ``custom_keys`` without effect.

    Raises:
        InputError: it cannot be built, widths of its parts disagree, a pattern of
            ``custom_keys`` is misspelled, or a section that the runner needs is missing.
    """
    report(config, list(missing_sections(config)))
    with explained(config):
        model = build_model(config)
    unmatched = list(_unmatched_keys(config, model))
    report(config, [*misfits(config, model), *(text for text, near in unmatched if near)])
    show_warnings([text for text, near in unmatched if not near])


def build_model(config: Config) -> nn.Module:
    """Build the model of ``config`` without memory where its constructors allow it, silently."""
    with DefaultScope.overwrite_default_scope(config.get('default_scope')):
        return build_without_memory(model_settings(config), MODELS)


# ------------------------------------------------------------------------ parameters


def _unmatched_keys(config: Config, model: nn.Module) -> Iterator[tuple[str, bool]]:
    """Yield patterns of ``custom_keys`` that no parameter has, and whether one looks like it."""
    wrapper = config.get('optim_wrapper') or {}
    settings = wrapper.get('paramwise_cfg') or {}
    if not str(wrapper.get('constructor', 'vitbackbones.')).startswith('vitbackbones.'):
        return  # another constructor may match names in its own way
    names = [f'.{name}' if '.' not in name else name for name, _ in model.named_parameters()]
    for key in settings.get('custom_keys') or ():
        if key in SHARED or any(key in name for name in names):
            continue
        bare = key.strip('.')
        pieces = _pieces(names, bare.count('.') + 1)
        near = did_you_mean(bare, pieces, most=1, cutoff=0.8)
        hint = near or ', so it has no effect'
        place = f'optim_wrapper.paramwise_cfg.custom_keys.{key}'
        yield f'{place}: is in no name of a parameter of the model{hint}', bool(near)


def _pieces(names: list[str], length: int) -> set[str]:
    """Return all sequences of ``length`` parts in dotted names."""
    split = [name.strip('.').split('.') for name in names]
    runs = (parts[i : i + length] for parts in split for i in range(len(parts) - length + 1))
    return {'.'.join(run) for run in runs}
