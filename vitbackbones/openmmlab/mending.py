"""Mistakes of the toolboxes that keep some of their own configs from being built.

Gradient checkpointing of the DETRs needs fairscale, although torch has it; a teacher is looked for
in a clone only; LeViT's head cannot be fused; GLIP asks for a function of transformers where it
was; BatchNorm over processes needs several; and a missing package is not named.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from ..errors import InputError


def use_checkpoints_of_torch(wrapper: Callable | None) -> Callable | None:
    """Let layers of a DETR be computed again in the backward pass where fairscale is missing."""
    return None if wrapper else checkpointed


def checkpointed(module: nn.Module) -> nn.Module:
    """Return a module that stores its inputs alone for the backward pass; its keys stay."""
    module.forward = partial(_compute_again, module.forward)  # a closure would not be copied
    return module


def _compute_again(forward: Callable, *arguments, **options):
    if torch.is_grad_enabled():
        return checkpoint(forward, *arguments, use_reentrant=False, **options)
    return forward(*arguments, **options)


def look_inside_of_wheel(find: Callable, package: str) -> str:
    """Let ``configs/`` beside a package be that of its wheel, which is in ``.mim``."""
    inside = Path(find(package), '.mim')
    return str(inside / package) if inside.is_dir() else find(package)


def fuse_head(switch: Callable, self, itself=None) -> None:
    """Let LeViT's head be built fused: it names itself twice, and says that it is fused before."""
    from mmpretrain.models.backbones.levit import fuse_parameters

    if itself is not None or not self.deploy:
        fuse_parameters(self)
    self.deploy = True


def keep_chunking(model: type) -> None:
    """Let GLIP find a function in the module of transformers that it has moved from."""
    from transformers.pytorch_utils import apply_chunking_to_forward

    sys.modules[model.__module__].apply_chunking_to_forward = apply_chunking_to_forward


def norm_in_one_process(build: Callable, cfg, *arguments, **options):
    """Let a single process build ``MMSyncBN``: it is BatchNorm then, with the same tensors."""
    if cfg.get('type') == 'MMSyncBN' and not torch.distributed.is_initialized():
        cfg = {**cfg, 'type': 'BN'}
    return build(cfg, *arguments, **options)


def name_transformers(register: Callable, names, registry) -> None:
    """Let each multimodal model of mmpretrain say its own name, and the package that it needs."""
    for name in names:
        registry.register_module(name=name, module=_asking(name))


def _asking(name: str) -> Callable:
    def ask_install(*arguments, **options):
        raise InputError(f"{name} requires transformers 4: pip install 'transformers<5'")

    return ask_install
