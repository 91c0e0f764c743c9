"""A published checkpoint file rewritten once, in this package's keys, and proven to load.

Loading converts by itself; a converted file is for keeping and for passing on, without the
optimizer, the wrappers and the second names of shared tensors that published files carry.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from safetensors.torch import save
from torch import Tensor

from ..backbones import PVT, SimpleViT, Swin
from ..checkpoint import load_anywhere, load_pretrained, naming
from ..convert import FORMATS, convert, unwrap
from ..errors import InputError
from ..models import MODELS, create_model, list_models

SUFFIXES = ('.safetensors', '.pth')
# Options that other published files of a host's models need.
VARIANTS = {
    SimpleViT: ({'groups': 2}, {'groups': 3}, {'groups': 4}),
    Swin: ({'groups': 2}, {'groups': 3}, {'groups': 4}),
    PVT: ({'out_type': 'featmap'},),  # detection: no class token, no norm, no head
}


def convert_file(
    source: Path, target: Path, format: str | None = None, name: str | None = None
) -> str:
    """Convert the checkpoint ``source`` to ``target`` and return a report.

    The target appears complete or not at all.

    Args:
        source: a checkpoint of any known layout.
        target: ``.safetensors`` or ``.pth``; holds the state dict alone.
        format: the layout, a key of ``vitbackbones.convert.FORMATS``; found by default.
        name: the model's name; by default the one that the file's shapes fit.

    Raises:
        InputError: a file cannot be read or written, or the checkpoint fits no model, not the
            model ``name``, or several.
    """
    _check_target(source, target)
    content = load_anywhere(source)
    with naming(source):
        state, layout = convert(unwrap(content), format)
    arguments = _choose(source, state, layout, name)
    arguments['num_classes'] = len(state['head.weight']) if 'head.weight' in state else 0
    model = create_model(**arguments)
    coverage = load_pretrained(model, source, format=layout)
    known = {'head.weight', 'head.bias', *model.backbone.state_dict()}
    kept = {key: value for key, value in state.items() if key in known}
    digest = _write(kept, target, arguments, model.state_dict())
    call = ', '.join(f'{key}={value!r}' for key, value in arguments.items())
    report = f'{source}: {coverage}\n{target}: create_model({call})\nsha256 {digest}'
    note = FORMATS[layout].note
    return f'{report}\nnote: {note}' if note else report


def _check_target(source: Path, target: Path) -> None:
    if target.suffix not in SUFFIXES:
        raise InputError(f'{target}: the name must end in {" or ".join(SUFFIXES)}')
    if target.resolve() == source.resolve():
        raise InputError(f'{target}: is the source itself, which is never overwritten')
    if not target.parent.is_dir():
        raise InputError(f'{target}: there is no folder {target.parent}')


# ------------------------------------------------------------------------ which model it is


def _choose(source: Path, state: dict[str, Tensor], layout: str, name: str | None) -> dict:
    """Return the arguments of ``create_model`` for the one model that the state dict fits."""
    if name is not None and name not in MODELS:
        raise InputError(f'--model {name}: unknown; known: {", ".join(list_models())}')
    names = list_models() if name is None else [name]
    found = [arguments for arguments in _plain(names) if _fits(arguments, state)]
    found = found or [arguments for arguments in _variants(names) if _fits(arguments, state)]
    if len(found) == 1:
        return found[0]
    if name is not None:
        return {'name': name}  # loading will say what does not fit
    if not found:
        raise InputError(
            f'{source}: {layout} layout, but no model has exactly these tensors; '
            'name the nearest with --model to hear what differs'
        )
    raise InputError(
        f'{source}: fits {" and ".join(arguments["name"] for arguments in found)}, which have the '
        'same tensors; say with --model which of them was trained'
    )


def _plain(names: Sequence[str]) -> Iterator[dict]:
    return ({'name': name} for name in names)


def _variants(names: Sequence[str]) -> Iterator[dict]:
    for name in names:
        for host, variants in VARIANTS.items():
            if issubclass(MODELS[name][0], host):
                yield from ({'name': name, **options} for options in variants)


def _fits(arguments: dict, state: dict[str, Tensor]) -> bool:
    """Whether a state dict has all of a backbone's tensors and none more inside its parts."""
    with torch.device('meta'):
        backbone = create_model(**arguments, num_classes=0).backbone
    own = backbone.state_dict()
    try:
        given = backbone.adapt_state_dict(state)
    except ValueError:  # position codes of no grid of this model
        return False
    parts = {key.partition('.')[0] for key in own}
    inside = {key for key in given if key.partition('.')[0] in parts}
    needed = {key for key in own if not key.endswith('num_batches_tracked')}
    if not needed <= inside <= set(own):
        return False
    return all(given[key].shape == own[key].shape for key in needed)


# ------------------------------------------------------------------------ writing


def _write(
    state: dict[str, Tensor], target: Path, arguments: dict, loaded: dict[str, Tensor]
) -> str:
    """Write beside the target, check that it loads as the source did, and name it; its SHA-256."""
    try:
        with TemporaryDirectory(prefix='.converting-', dir=target.parent) as folder:
            part = Path(folder, target.name)
            _save(state, part)
            again = create_model(**arguments, checkpoint=part).state_dict()
            if not all(torch.equal(again[key], loaded[key]) for key in loaded):
                raise InputError(f'{target}: what was written is not what was read')
            digest = hashlib.sha256(part.read_bytes()).hexdigest()
            os.replace(part, target)
    except OSError as error:
        raise InputError(f'{target}: cannot be written ({error.strerror})') from error
    return digest


def _save(state: dict[str, Tensor], path: Path) -> None:
    # clones, because a converted tensor can be a view of a larger one, which would be saved whole
    state = {key: value.contiguous().clone() for key, value in state.items()}
    if path.suffix == '.safetensors':
        path.write_bytes(save(state, metadata={'format': 'pt'}))
    else:
        torch.save(state, path)
