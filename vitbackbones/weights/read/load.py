"""Reading a checkpoint file of any format; whatever is wrong with it is one message.

No text of a checkpoint is ever executed either: mmengine stores the config in it, and would run it
as Python when it resumes or when an inferencer is given weights alone.
"""

import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import NoneType
from typing import Any, BinaryIO

from safetensors.torch import load as load_safetensors

from ...errors import InputError
from ...utils.files import POINTER
from ...utils.rules import COLORS
from .config_images import config_images
from .pickles import IMG_SIZE, SIZE, Refused, Unpickler
from .torch_files import PICKLED, read_torch

IMAGES = 'images'  # in meta: what the text of the config says about them, as plain data
PROGRAMS = ('cfg', 'config')  # in meta and runtime_info: texts of configs
# What is read of any checkpoint, by its place; a file of weights alone has none of it.
FORM = {
    'meta': (dict, NoneType),
    'meta.dataset_meta': (dict, NoneType),
    'meta.dataset_meta.classes': (list, tuple, NoneType),
    'state_dict': dict,
    'unmerged': dict,  # of a run with adapters
    'unmerged.*': dict,
    'message_hub': dict,
    'message_hub.runtime_info': dict,
    'message_hub.resumed_keys': dict,
}
# What a file should be, and what to do if it holds more than that.
CHECKPOINT = 'torch checkpoint', 'save only its state dict, with torch.save or safetensors'
ANNOTATIONS = 'pickle of plain data', 'save it as JSON'
MISSING = object()
DATASET_META = 'dataset_meta'  # in the metadata of a safetensors file: JSON, as in mmengine's meta
# How files begin that are easily mistaken for a checkpoint.
MISTAKEN = {
    b'<': 'it is a web page, perhaps the response to a wrong address',
    POINTER: 'it is a Git LFS pointer; run "git lfs pull" to fetch the file',
}


def load_file(path: str | Path) -> dict:
    """Read a ``.safetensors`` or torch checkpoint without running any code it may carry.

    The tensors are in main memory; the text of a config is left out.

    Raises:
        InputError: the file is missing, not a checkpoint, truncated, or holds more than data.
    """
    path = Path(path).expanduser()
    if not path.is_file():
        raise InputError(f'{path}: no such checkpoint file')
    try:
        with path.open('rb') as file:
            return read_safely(file, path)
    except OSError as error:
        raise InputError(f'{path}: cannot be read ({error.strerror})') from error


def read_safely(file: BinaryIO, name: str | Path) -> dict:
    """Read an open file; ``name`` stands at the beginning of messages.

    Raises:
        InputError: as of :func:`load_file`.
    """
    reader = _read_safetensors if Path(name).suffix == '.safetensors' else read_torch
    content = _read(reader, file, name, CHECKPOINT)
    if not isinstance(content, dict):
        raise InputError(f'{name}: contains a {type(content).__name__}, not a dict of weights')
    require_form(name, content, FORM)
    about = (content.get('meta') or {}).get(DATASET_META) or {}
    _require_texts(name, 'a key', content)
    _require_texts(name, 'a key of state_dict', content.get('state_dict', {}))
    _require_texts(name, f'a key of {DATASET_META}', about)
    _require_texts(name, 'the name of a class', about.get('classes') or ())
    _take_out_programs(content)
    _keep_own_best(content, Path(name).parent)
    palette = about.get('palette')
    if not COLORS.fits(palette) or len(palette) < len(about.get('classes') or ()):
        about.pop('palette', None)
    return content


def _require_texts(name: str | Path, what: str, values: Iterable[Any]) -> None:
    """Refuse values that are not texts; ``what`` is said of the first."""
    for value in values:
        if type(value) is not str:
            raise InputError(
                f'{name}: damaged, or not a checkpoint of a model: {what} is of type '
                f'{type(value).__name__}'
            )


def _take_out_programs(content: dict) -> None:
    """Forget texts of configs, which mmengine would run; what they say about images is kept."""
    meta = content.get('meta') or {}
    hub = content.get('message_hub', {})
    if isinstance(meta.get('cfg'), str) and (images := config_images(meta['cfg'])):
        meta[IMAGES] = images
    for holder in (meta, hub.get('runtime_info', {}), hub.get('resumed_keys', {})):
        for key in PROGRAMS:
            holder.pop(key, None)


def _keep_own_best(content: dict, folder: Path) -> None:
    """Let the best checkpoints that are named be files of ``folder``, and forget others.

    mmengine deletes that file or folder when a resumed run finds a better one. It is looked for by
    its name, as work dirs are moved and copied.
    """
    hub = content.get('message_hub', {})
    info = hub.get('runtime_info', {})
    resumed = hub.get('resumed_keys', {})
    for key in [*info]:
        if type(key) is not str or not key.startswith('best_ckpt'):
            continue
        name = Path(info[key]).name if type(info[key]) is str else ''
        if name.startswith('best_'):
            info[key] = str(folder.absolute() / name)
        else:
            del info[key]
            resumed.pop(key, None)


def read_data(file: BinaryIO, name: str | Path) -> Any:
    """Read a pickle of lists, dicts, texts, numbers, arrays and tensors, such as annotations.

    Raises:
        InputError: it is damaged, or holds anything else.
    """
    return _read(Unpickler(PICKLED, _no_storage).load, file, name, ANNOTATIONS)


def _no_storage(reference: Any) -> None:
    raise Refused('a persistent id')


def _read_safetensors(file: BinaryIO) -> dict[str, Any]:
    """Return the tensors; as ``state_dict`` beside ``meta`` where the file names its classes."""
    data = file.read()
    content = load_safetensors(data)
    if any(tensor.is_complex() for tensor in content.values()):
        raise Refused('complex numbers')
    length = int.from_bytes(data[:8], 'little')
    about = json.loads(data[8 : 8 + length]).get('__metadata__', {})
    state = OrderedDict(content)
    sizes = json.loads(about.get(IMG_SIZE, '{}'))
    state._metadata = {  # type: ignore[attr-defined]
        part: {IMG_SIZE: tuple(size)} for part, size in sizes.items() if SIZE.fits(size)
    }
    if DATASET_META not in about:
        return state
    return {'meta': {DATASET_META: json.loads(about[DATASET_META])}, 'state_dict': state}


def _read(
    reader: Callable[[BinaryIO], Any], file: BinaryIO, name: str | Path, kind: tuple[str, str]
) -> Any:
    """Let ``reader`` read a file, and say what is wrong with it."""
    what, advice = kind
    try:
        return reader(file)
    except Refused as error:
        raise InputError(
            f'{name}: refused, because it contains {error}, which does not belong in a {what}. '
            f'Loading never runs code from a file. If the file is yours, {advice}.'
        ) from error
    except Exception as error:  # a file that is no checkpoint can end in any error
        file.seek(0)
        start = file.read(100).lstrip()
        hint = f'{type(error).__name__} while it was read'
        for beginning, what_it_is in MISTAKEN.items():
            if start.startswith(beginning):
                hint = what_it_is
        raise InputError(f'{name}: is not a {what}, or is damaged ({hint})') from error


# ------------------------------------------------------------------------ its form


def require_form(
    name: str | Path, checkpoint: dict, form: Mapping[str, Any], complete: bool = False
) -> None:
    """Check the types of what lies at some places of a checkpoint.

    Args:
        name: begins the message.
        form: the types at a place, such as ``{'meta': dict, 'meta.iter': int}``; a container comes
            before what is in it, and ``*`` stands for all of it. An ``int`` is not negative.
        complete: whether something must lie at every place.

    Raises:
        InputError: with the first place where something else lies.
    """
    for place, kinds in form.items():
        for value in _values(checkpoint, place.split('.')):
            if value is MISSING:
                problem = 'is missing' if complete else ''
            elif not isinstance(value, kinds):
                problem = f'is of type {type(value).__name__}'
            else:
                problem = 'is negative' if isinstance(value, int) and value < 0 else ''
            if problem:
                raise InputError(
                    f'{name}: {place} {problem}. The file is damaged, or not a checkpoint of '
                    'mmengine'
                )


def _values(container: Any, place: list[str]) -> Iterator[Any]:
    """Yield what lies at a place, ``MISSING`` for nothing."""
    if container is MISSING or not place:
        yield container
    elif place[0] == '*':
        entries = container.values() if isinstance(container, dict) else container
        for entry in entries:
            yield from _values(entry, place[1:])
    else:
        yield from _values((container or {}).get(place[0], MISSING), place[1:])
