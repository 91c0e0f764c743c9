"""The models for ``torch.hub``.

    torch.hub.load(CLONE, 'aug_vit_s', source='local', num_classes=10)

Options are those of ``vitbackbones.create_model``.
"""

from functools import partial as _partial

from vitbackbones.backbones.by_name import create_model as _create_model
from vitbackbones.backbones.names import list_models as _list_models

dependencies = ['numpy', 'safetensors', 'torch']


def _entry(name: str) -> _partial:
    entry = _partial(_create_model, name)
    entry.__doc__ = f'{name}: {_create_model.__doc__}'
    return entry


globals().update({_name: _entry(_name) for _name in _list_models()})
