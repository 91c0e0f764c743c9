"""Shipped configs by name, wherever OpenMMLab reads a config.

With ``vitbackbones`` imported, ``Config.fromfile``, the ``_base_`` of a config of any project, the
inferencers and mmpretrain's ``get_model`` take what
:func:`~vitbackbones.configuration.names.find_config` takes. A file that exists comes first.
"""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import mmengine.config  # itself being imported when this is: its names are not there yet
from mmengine.utils import is_installed

from ..backbones.names import published_name
from ..configuration.names import SCOPE, config, config_name, find_config
from ..weights.trained import trained_weights

CLASSIFICATION = SimpleNamespace(results=[SimpleNamespace(task='Image Classification')])


def read_by_name(read: Callable, filename, *arguments, **options):
    """Let ``Config.fromfile`` take the name of a shipped config."""
    found = None if Path(filename).expanduser().exists() else find_config(filename)
    return read(found or filename, *arguments, **options)


def find_base(find: Callable, path, filename):
    """Let ``_base_`` name a shipped config, without the scope that mmengine gives to such a base.

    It may also name those of mmseg as ``mmseg::...`` if onedl-mmsegmentation is installed, in place
    of mmsegmentation, for which mmengine looks.

    Raises:
        InputError: ``vitbackbones::`` names none; the nearest is given.
    """
    if path.startswith(SCOPE):
        return config(path), None
    module = path.partition('::')[0]
    known = mmengine.config.utils.MODULE2PACKAGE
    if module in known and not is_installed(known[module]) and is_installed(module):
        known[module] = module
    file, scope = find(path, filename)
    if scope is None and not Path(file).exists():
        file = str(find_config(path) or file)
    return file, scope


def load_by_name(load: Callable, self, model):
    """Let inferencers take the name of a shipped config, with the weights that come with it.

    Where there are none and none are given, the model is random, as mmengine warns.
    """
    found = find_config(model)
    if found is None:
        return load(self, model)
    return mmengine.config.Config.fromfile(found), _weights_of(found)


def find_classifier(find: Callable, model):
    """Let mmpretrain's functions take a config, its path, or the name of a shipped one.

    ``get_model(NAME, pretrained=True)`` loads the weights that come with the config, or those that
    were published for it.
    """
    if isinstance(model, mmengine.config.Config) or Path(model).suffix == '.py':
        return CLASSIFICATION
    found = find_config(model)
    if found is None:
        return find(model)
    return SimpleNamespace(
        config=mmengine.config.Config.fromfile(found),
        weights=_weights_of(found),
        results=CLASSIFICATION.results,
    )


def _weights_of(file: Path) -> str | None:
    """Return the weights of a shipped config: the file that comes along, or a published name."""
    name = config_name(file)
    weights = trained_weights().get(name)
    return str(weights) if weights else published_name(name)
