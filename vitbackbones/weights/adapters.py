"""Folders with the low-rank adapters of a backbone (``layers.lora``), in the files of peft.

``adapter_config.json`` names the base: ``base_model_name_or_path`` is the name of its config, and
``revision`` the SHA-256 of its weights. ``adapter_model.safetensors`` holds the matrices.
"""

import hashlib
import json
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor, nn

from ..errors import InputError
from ..layers.lora import ADAPTERS, WEIGHT, A
from ..utils.files import prepare_folder, read_json, write_file
from .filling import COUNTER, errors_name_file, require_finite
from .read.load import load_file, require_form

CONFIG = 'adapter_config.json'
MATRICES = 'adapter_model.safetensors'
KEY = 'base_model.model.{}.weight'  # of peft
FORM = {'r': int, 'lora_alpha': (int, float), 'target_modules': list, 'target_modules.*': str}


def digest_of(state: dict[str, Tensor]) -> str:
    """Return the SHA-256 of the keys and values of a state dict, apart from its adapters."""
    hashed = hashlib.sha256()
    for key in sorted(state):
        if not key.endswith((COUNTER, *ADAPTERS)):
            hashed.update(key.encode())
            hashed.update(state[key].cpu().contiguous().flatten().view(torch.uint8).numpy())
    return hashed.hexdigest()


def save_adapter(folder: str | Path, state: dict[str, Tensor], base: str) -> None:
    """Write the adapters in the state dict of a backbone, and the name ``base`` of its config."""
    folder = prepare_folder(folder, 'adapter')
    matrices = {KEY.format(k): x.contiguous() for k, x in state.items() if k.endswith(ADAPTERS)}
    write_file(folder / MATRICES, save(matrices))
    layers = [key.removesuffix(f'.{A}') for key in state if key.endswith(A)]
    rank = len(state[f'{layers[0]}.{A}'])
    about = {'peft_type': 'LORA', 'base_model_name_or_path': base, 'revision': digest_of(state)}
    about |= {'r': rank, 'lora_alpha': rank, 'target_modules': layers, 'inference_mode': True}
    write_file(folder / CONFIG, json.dumps(about, indent=1).encode())


@torch.no_grad()
def load_adapter(backbone: nn.Module, folder: str | Path) -> None:
    """Merge the adapters of a folder into the weights of a backbone, which are their base.

    Raises:
        InputError: the folder is none of adapters, or of those of another base.
    """
    own = backbone.state_dict()
    digest = digest_of(own)
    with errors_name_file(folder):
        about = read_json(Path(folder, CONFIG))
        given = load_file(Path(folder, MATRICES))
        if about['revision'] != digest:
            raise InputError(
                f'its base is {about["base_model_name_or_path"]} with weights of SHA-256 '
                f'{about["revision"]}, but the weights here have {digest}. Start from the same '
                'weights'
            )
        require_finite(MATRICES, given)
        require_form(CONFIG, about, FORM, complete=True)
        scale = about['lora_alpha'] / about['r']
        merged = {}
        for name in dict.fromkeys(about['target_modules']):
            key = f'{name}.{WEIGHT}'
            a, b = (given[KEY.format(f'{name}.{end}')] for end in ADAPTERS)
            if b.shape[0:1] + a.shape[1:] != own[key].shape or b.shape[1:] != a.shape[:1]:
                raise InputError(
                    f'{name}: {tuple(b.shape)} @ {tuple(a.shape)} does not match its shape'
                )
            merged[key] = own[key] + scale * (b @ a)
        require_finite(MATRICES, merged)
        for key, value in merged.items():  # all of them, or none
            own[key].copy_(value)
