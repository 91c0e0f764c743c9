"""A published checkpoint file rewritten once, in this package's keys, and proven to load.

Loading converts by itself; a converted file is for keeping and for passing on, without the
optimizer, the wrappers and the second names of shared tensors that published files carry.
"""

import hashlib
import logging
import math
from argparse import ArgumentParser, Namespace
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from mmengine.logging import MMLogger
from safetensors.torch import save
from torch import Tensor

from ...backbones import PVT, AugPVT, AugT2T, AugViT, Backbone, Mixer, SimpleViT, Swin
from ...backbones.by_name import create_model
from ...backbones.names import MODELS, list_models
from ...errors import InputError, OptionError
from ...utils.files import write_file
from ...utils.messages import did_you_mean
from ...weights.convert import FORMATS, convert, unwrap
from ...weights.coverage import compare
from ...weights.filling import errors_name_file, load_pretrained
from ...weights.read.downloads import load_anywhere

HEADS = ('head.weight', 'head.bias', 'head_dist.weight', 'head_dist.bias')
SUFFIXES = ('.safetensors', '.pth')


EXAMPLES = """\
example:
  %(prog)s SReT_T.pth checkpoints/sret_t.safetensors --model sret_t

What is written is verified by loading it; its SHA-256 is printed.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add('source', type=Path, metavar='SRC', help='a checkpoint of any known layout')
    add('target', type=Path, metavar='DST', help='.safetensors or .pth; holds the weights alone')
    add('--format', choices=FORMATS, help='layout of SRC (default: detected)')
    known = "a name from 'vitbackbones models' (default: detected)"
    add('--model', metavar='NAME', help=known)


def convert_checkpoint(options: Namespace) -> None:
    """Convert a checkpoint as the command line says, and print the report.

    Raises:
        InputError: see :func:`convert_file`.
    """
    MMLogger.get_current_instance().setLevel(logging.WARNING)  # the report repeats what is logged
    print(convert_file(options.source, options.target, options.format, options.model))


def convert_file(
    source: Path, target: Path, format: str | None = None, name: str | None = None
) -> str:
    """Convert the checkpoint ``source`` to ``target`` and return a report.

    The target appears complete or not at all.

    Args:
        source: a checkpoint of any known layout.
        target: ``.safetensors`` or ``.pth``; holds the state dict alone.
        format: the layout, a key of ``vitbackbones.weights.convert.FORMATS``; found by default.
        name: the model's name; by default the one that the file's shapes fit.

    Raises:
        InputError: a file cannot be read or written, or the checkpoint fits no model, not the
            model ``name``, or several.
    """
    if target.suffix not in SUFFIXES:
        raise InputError(f'{target}: the name must end in {" or ".join(SUFFIXES)}')
    if target.resolve() == source.resolve():
        raise InputError(f'{target}: is the source itself, which is never overwritten')
    if not target.parent.is_dir():
        raise InputError(f'{target}: there is no folder {target.parent}')
    content = load_anywhere(source)
    with errors_name_file(source):
        state, layout = convert(unwrap(content), format)
    arguments = _choose(source, state, layout, name)
    arguments['num_classes'] = len(state['head.weight']) if 'head.weight' in state else 0
    model = create_model(**arguments)
    coverage = load_pretrained(model, source, format=layout)
    known = {*model.backbone.state_dict(), *HEADS}
    kept = {key: value for key, value in state.items() if key in known}
    digest = _write(kept, target, arguments, model.state_dict())
    call = ', '.join(f'{key}={value!r}' for key, value in arguments.items())
    report = f'{source}: {coverage}\n{target}: create_model({call})\nsha256 {digest}'
    note = FORMATS[layout].note
    return f'{report}\nnote: {note}' if note else report


# ------------------------------------------------------------------------ which model it is


def _choose(source: Path, state: dict[str, Tensor], layout: str, name: str | None) -> dict:
    """Return the arguments of ``create_model`` for the one model that the state dict fits."""
    if name is not None and name not in MODELS:
        hint = did_you_mean(name, MODELS.keys()) or f'; known: {", ".join(list_models())}'
        raise InputError(f'--model {name}: unknown{hint}')
    plain = [{'name': each} for each in (list_models() if name is None else [name])]
    found = [arguments for arguments in plain if _fits(arguments, state)]
    if not found:
        variants = [each | _options(MODELS[each['name']][0], state) for each in plain]
        found = [each for each in variants if len(each) > 1 and _fits(each, state)]
    if len(found) == 1:
        return {**found[0], **_input_size(found[0], state)}
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


def _options(host: type[Backbone], state: dict[str, Tensor]) -> dict:
    """Return the options of a class that show in the file's shapes."""
    options = {}
    if issubclass(host, SimpleViT | Swin):
        options['groups'] = 1
        for key, weight in state.items():  # of the first attention: outputs over inputs of each
            if key.endswith(('.attn.qkv.weight', '.attn.qkvp.weight')):
                kind = key.split('.')[-2]
                options['groups'] = len(weight) // len(kind) // weight.shape[1]
                break
    if issubclass(host, PVT) and 'norm.weight' not in state:
        options['out_type'] = 'featmap'  # detection: no class token, no norm, no head
    path = next((v for k, v in state.items() if k.endswith('.shortcut_attn.weight')), None)
    if issubclass(host, AugViT | AugPVT | AugT2T) and path is not None:
        # (paths, d, d) or (paths, b, b, d / b)
        form = {'projection': 'dense'} if path.ndim == 3 else {'blocks': path.shape[1]}
        options['shortcut'] = {'type': 'AugmentedShortcut', 'paths': len(path), **form}
    return options


def _input_size(arguments: dict, state: dict[str, Tensor]) -> dict:
    """Return ``img_size`` as an argument, where the file is not made for the model's own."""
    backbone = _empty(arguments)
    position = next(backbone.positions(), None)  # the first code tells
    if isinstance(backbone, Mixer):
        own, stored = backbone.grid, _square(len(state['blocks.0.mlp_tokens.fc2.bias']))
    elif position:
        key, extra, own, _ = position
        code = state[key]
        stored = tuple(code.shape[2:]) if code.ndim == 4 else _square(code.shape[1] - extra)
    else:
        return {}
    if own == stored:
        return {}
    sides = [side * new // old for side, old, new in zip((224, 224), own, stored, strict=True)]
    return {'img_size': sides[0] if sides[0] == sides[1] else tuple(sides)}


def _square(count: int) -> tuple[int, int]:
    return (math.isqrt(count),) * 2


def _empty(arguments: dict) -> Backbone:
    with torch.device('meta'):
        return create_model(**arguments, num_classes=0).backbone


def _fits(arguments: dict, state: dict[str, Tensor]) -> bool:
    """Whether a state dict has all of a backbone's tensors, and no other ones in its parts."""
    try:
        backbone = _empty(arguments)
        given = backbone.adapt_state_dict(state)
    except (InputError, OptionError):  # no such variant, or position codes that fit no grid of it
        return False
    found = compare(backbone, given)
    other = found.unexpected_inside() or 'dist_token' in found.unused  # of the distilled model
    return not (found.missing or found.mismatched or other)


# ------------------------------------------------------------------------ writing


def _write(
    state: dict[str, Tensor], target: Path, arguments: dict, loaded: dict[str, Tensor]
) -> str:
    """Check in a temporary file that it loads as the source did; write it, return the hash."""
    try:
        with TemporaryDirectory() as folder:
            part = Path(folder, target.name)
            _save(state, part)
            again = create_model(**arguments, checkpoint=part).state_dict()
            if not all(torch.equal(again[key], loaded[key]) for key in loaded):
                raise InputError(f'{target}: what was written is not what was read')
            content = part.read_bytes()
    except OSError as error:
        raise InputError(f'{target}: cannot be written ({error.strerror})') from error
    write_file(target, content)
    return hashlib.sha256(content).hexdigest()


def _save(state: dict[str, Tensor], path: Path) -> None:
    # clones, because a converted tensor can be a view of a larger one, which would be saved whole
    state = {key: value.contiguous().clone() for key, value in state.items()}
    if path.suffix == '.safetensors':
        path.write_bytes(save(state, metadata={'format': 'pt'}))
    else:
        torch.save(state, path)
