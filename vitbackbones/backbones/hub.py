"""Models by name in folders and on the Hugging Face hub, written by huggingface_hub's own mixin.

``config.json`` has the arguments of ``create_model``, ``model.safetensors`` the weights. The mixin
is asked for when it is needed, as not everybody has the package; weights go through the same reader
as all others, and ``config.json`` names no code.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.module import register_module_parameter_registration_hook

from ..errors import InputError
from ..utils.files import read_json
from ..utils.packages import import_optional
from ..weights.downloads import fetching
from ..weights.filling import errors_name_file, load_pretrained
from ..weights.read.load import load_file

CONFIG = 'config.json'
WEIGHTS = 'model.safetensors'
PLACES = ('revision', 'cache_dir', 'force_download', 'local_files_only', 'token')
SLACK = 100  # tensors, and times the numbers, that a network may have more than its weights
WORD = re.compile(r'[\w-]*')


def arguments_of(model: Any) -> dict:
    """Return what makes the model again, as ``config.json`` has it.

    Raises:
        InputError: an option is no plain data, such as a class, or nothing is known to make it.
    """
    if not model.made_with:
        raise InputError('only a model that create_model returned can be saved, before it is fused')
    made = dict(model.made_with, data_config=model.data_config)
    if 'num_classes' in made:
        made['num_classes'] = model.num_classes  # after reset_classifier
    try:
        return json.loads(json.dumps(made))
    except TypeError as error:
        problem = f'{made["name"]}: an option cannot be written as JSON ({error})'
        raise InputError(problem) from error


def require_data(value: Any, place: str) -> None:
    """Check that no text could be the path of code or of a file.

    Raises:
        InputError: one could; the message begins with ``place``.
    """
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            require_data(inner, f'{place}.{key}')
        elif isinstance(inner, str) and not WORD.fullmatch(inner):
            raise InputError(
                f'{place}.{key} is {inner!r}, which is not a name of vitbackbones. Create the '
                f'model by create_model with its options, and give the {WEIGHTS} as checkpoint'
            )


@cache
def mixin() -> Any:
    """Return huggingface_hub's mixin around a model, its ``module``."""
    hub: Any = import_optional('huggingface_hub', 'huggingface_hub')

    class OnHub(hub.PyTorchModelHubMixin, library_name='vitbackbones'):  # type: ignore[call-arg]
        def __init__(self, module: Any = None) -> None:
            self.module = module

    return OnHub


@contextmanager
def not_larger_than(state: dict) -> Iterator[None]:
    """Raise before a network is built that is much larger than the file of its weights.

    Raises:
        InputError: one has many more parameters; it is not built to the end.
    """
    left = [SLACK + len(state), SLACK * (SLACK + sum(x.numel() for x in state.values()))]

    def count(module: nn.Module, name: str, parameter: Tensor | None) -> None:
        if parameter is not None:
            left[0] -= 1
            left[1] -= parameter.numel()
        if min(left) < 0:
            raise InputError(f'{CONFIG} describes a much larger network than {WEIGHTS} contains')

    hook = register_module_parameter_registration_hook(count)
    try:
        yield
    finally:
        hook.remove()


def _file_of(source: str, name: str, where: dict) -> Path:
    """Return a file of a folder, or of a repository on the hub."""
    if Path(source).is_dir():
        return Path(source, name)
    hub = import_optional('huggingface_hub', 'huggingface_hub')
    with fetching(f'{source} is not a folder here, and on the hub'):
        return Path(hub.hf_hub_download(source, name, **where))


def from_pretrained(
    source: str | Path, create: Callable[..., Any], map_location: str = 'cpu', **options: Any
) -> Any:
    """Return the model in a folder or repository that ``save_pretrained`` wrote, in eval mode.

    Args:
        source: a folder, or OWNER/NAME on the hub.
        create: ``create_model``.
        map_location: the device of the model.
        options: of huggingface_hub's downloads, such as ``revision`` or ``token``; others are
            arguments of ``create_model`` in place of those that were written, but for weights.

    Raises:
        InputError: it cannot be found or read, or is not of a model of this package.
    """
    where = {key: options.pop(key) for key in PLACES if key in options}
    file = _file_of(str(source), CONFIG, where)
    with errors_name_file(source):
        written = read_json(file)
        made = {**written, **options} if isinstance(written, dict) else {}
        if 'name' not in made or {'pretrained', 'checkpoint'} & made.keys():
            raise InputError(f'{CONFIG} is missing, belongs to another package, or names weights')
        images = made.pop('data_config', {})
        require_data(made, CONFIG)
        file = _file_of(str(source), WEIGHTS, where)
        sizes = {key: written[key] for key in ('img_size',) if key in written}
        rest = {key: value for key, value in made.items() if key != 'img_size'}
        with torch.device('meta'), not_larger_than(load_file(file)):
            usual = create(**rest, **sizes)  # as it was written
        model = create(**made)
        network = model.backbone if made.get('features_only') else model
        load_pretrained(network, file, stored_size=usual.backbone.img_size)
        model.data_config.update(
            {key: tuple(v) if isinstance(v, list) else v for key, v in images.items()}
        )
        return model.eval().to(map_location)
