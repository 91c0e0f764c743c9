"""Deterministic weights and images for the golden vectors in this folder.

A golden file (``*.json``) records what a *published* implementation of a model
answers when its weights and its input are filled by the rule below.  Nothing
but the key names, the shapes and a few output numbers is stored, so a test can
rebuild the same checkpoint, convert it, load it, run the model and compare.

    golden = load('sret_t')                      # dict, see README.md
    state_dict = fill_state_dict(golden)         # the published layout, filled
    image = fill_input(golden)                   # (N, 3, H, W) float32
"""

import json
import zlib
from pathlib import Path

import numpy as np
import torch

HERE = Path(__file__).parent


def _normal(name: str, shape) -> np.ndarray:
    rng = np.random.RandomState(zlib.crc32(name.encode()))
    return rng.standard_normal(tuple(shape)).astype(np.float32)


def fill_tensor(name: str, shape, dtype: str = 'float32') -> torch.Tensor:
    """Return the tensor that the rule gives to the key ``name``.

    Integer tensors are zero (but for Aug-ViT's index buffers, see
    ``circulant_index``).  Vectors called ``*.weight`` (norm scales),
    ``running_var`` and ``coefficient*`` are near one, other vectors near zero,
    and everything else is normal with variance 1 / fan-in.
    """
    if not dtype.startswith('float'):
        return torch.zeros(tuple(shape), dtype=getattr(torch, dtype))
    x = _normal(name, shape)
    last = name.rsplit('.', 1)[-1]
    if len(shape) <= 1:
        if last == 'running_var':
            x = 1 + 0.1 * np.abs(x)
        elif last == 'weight' or 'coefficient' in name:
            x = 1 + 0.1 * x
        else:
            x = 0.1 * x
    else:
        x = x / np.sqrt(np.prod(shape[1:]))
    return torch.from_numpy(np.ascontiguousarray(x, dtype=np.float32)).reshape(tuple(shape))


def fill_state_dict(golden: dict) -> dict:
    """Return the checkpoint of ``golden`` in the published key layout."""
    alias = golden.get('alias', {})
    state_dict = {
        key: fill_tensor(alias.get(key, key), shape, dtype)
        for key, (shape, dtype) in golden['manifest'].items()
    }
    for key in state_dict:
        if key.endswith('.index_matrix'):
            weights = golden['manifest'][key.replace('index_matrix', 'weight_list')][0][0]
            state_dict[key] = circulant_index(golden['manifest'][key][0][0], weights)
    return state_dict


def circulant_index(dim: int, weights: int) -> torch.Tensor:
    """The index buffer that published Aug-ViT checkpoints carry, (dim, dim).

    Entry (i*m + p, j*m + q) points at ``c[i, j, (p - q) mod m]`` in the flat
    vector of ``weights = b * dim`` values, with ``b`` blocks of ``m = dim / b``.
    """
    b = weights // dim
    m = dim // b
    block = torch.arange(dim) // m
    within = torch.arange(dim) % m
    return (block[:, None] * b + block[None]) * m + (within[:, None] - within[None]) % m


def fill_input(golden: dict, which: str = 'input') -> torch.Tensor:
    """Return the image batch ``golden[which]`` of shape (N, 3, H, W)."""
    return torch.from_numpy(_normal(which, golden[which]))


def load(name: str, folder: Path = HERE) -> dict:
    return json.loads((Path(folder) / f'{name}.json').read_text())


def summarize(t: torch.Tensor) -> dict:
    """Shape, moments and a strided sample of 64 values of a tensor."""
    flat = t.detach().double().flatten()
    step = max(1, flat.numel() // 64)
    return {
        'shape': list(t.shape),
        'mean': flat.mean().item(),
        'std': flat.std().item(),
        'step': step,
        'sample': [round(v, 7) for v in flat[::step][:64].tolist()],
    }


def difference(t: torch.Tensor, summary: dict) -> float:
    """Largest absolute difference between ``t`` and the recorded sample."""
    assert list(t.shape) == summary['shape'], (list(t.shape), summary['shape'])
    mine = t.detach().double().flatten()[:: summary['step']][:64]
    return (mine - torch.tensor(summary['sample'], dtype=torch.float64)).abs().max().item()
