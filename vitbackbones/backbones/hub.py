"""Models by name in folders and on the Hugging Face hub, by huggingface_hub's own mixin.

``config.json`` has the arguments of ``create_model``, ``model.safetensors`` the weights. The mixin
is asked for when it is needed, as not everybody has the package; weights go through the same reader
as all others, and ``config.json`` names no code.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..utils.packages import import_optional
from ..weights.downloads import fetching
from ..weights.filling import errors_name_file, load_pretrained

CONFIG, WEIGHTS = 'config.json', 'model.safetensors'
PLACES = ('revision', 'cache_dir', 'force_download', 'local_files_only', 'token')
WORD = re.compile(r'[\w-]*')


def arguments_of(model: Any) -> dict:
    """Return what makes the model again, as ``config.json`` has it.

    Raises:
        InputError: an option is no plain data, such as a class, or nothing is known to make it.
    """
    if not model.made_with:
        raise InputError('only what create_model returns can be saved, before it is fused')
    made = dict(model.made_with, data_config=model.data_config)
    if 'num_classes' in made:
        made['num_classes'] = model.num_classes  # after reset_classifier
    try:
        return json.loads(json.dumps(made))
    except TypeError as error:
        raise InputError(f'{made["name"]}: an option cannot be JSON ({error})') from error


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
                f'{place}.{key} is {inner!r}, which is not a name of vitbackbones; make the model '
                f'by create_model with its options, and give the {WEIGHTS} as checkpoint'
            )


@cache
def mixin() -> Any:
    """Return huggingface_hub's mixin around models of ``create_model``, its ``module``."""
    hub: Any = import_optional('huggingface_hub', 'huggingface_hub')

    class OnHub(hub.PyTorchModelHubMixin, library_name='vitbackbones'):  # type: ignore[call-arg]
        def __init__(self, module: Any = None, **made: Any) -> None:
            self.module = module

        @classmethod
        def _from_pretrained(
            cls, *, model_id: str, map_location: str = 'cpu', **options
        ) -> 'OnHub':
            from .by_name import create_model

            where = {key: options.pop(key) for key in PLACES}
            if 'name' not in options or {'pretrained', 'checkpoint'} & options.keys():
                raise InputError(f'{CONFIG} is missing, of another package, or names weights')
            images = options.pop('data_config', {})
            require_data(options, CONFIG)
            model = create_model(**options)
            file = Path(model_id, WEIGHTS)
            if not file.parent.is_dir():
                with fetching(model_id):
                    file = hub.hf_hub_download(model_id, WEIGHTS, **where)
            load_pretrained(model.backbone if options.get('features_only') else model, file)
            model.data_config.update(
                {key: tuple(v) if isinstance(v, list) else v for key, v in images.items()}
            )
            return cls(model.eval().to(map_location))

    return OnHub


def from_pretrained(source: str | Path, **options: Any) -> Any:
    """Return the model in a folder or repository that ``save_pretrained`` wrote, in eval mode.

    Args:
        source: a folder, or OWNER/NAME on the hub.
        options: of huggingface_hub's mixin, such as ``revision`` or ``token``; others are arguments
            of ``create_model`` in place of those that were written, but for weights.

    Raises:
        InputError: it cannot be found or read, or is not of a model of this package.
    """
    OnHub = mixin()
    if not Path(source).is_dir():
        hub = import_optional('huggingface_hub', 'huggingface_hub')
        with fetching(f'{source} is no folder here, and on the hub'):
            where = {key: options[key] for key in PLACES if key in options}
            hub.hf_hub_download(str(source), CONFIG, **where)
    with errors_name_file(source):
        return OnHub.from_pretrained(str(source), **options).module
