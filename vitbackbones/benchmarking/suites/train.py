"""One training step: forward, loss, backward, clipped gradients and a step of AdamW.

Classifiers beside timm's and mmpretrain's, DETR beside mmdet's with the same weights (ResNet-18
below it, dropout 0.1, ten objects a picture), SETR-PUP on a ViT-S beside mmseg's. All have the same
fused AdamW with one group. Then the optimizer's part alone, on DeiT-S: torch's default with a group
for each tensor, as mmengine makes them, beside what ``training/param_groups.py`` makes of the same
settings. ``--engine compiled`` adds our forms with compiled blocks (``tools/train.py --compile``).
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module

import torch
import torch.nn.functional as F
from mmengine.logging import MMLogger
from mmengine.optim import build_optim_wrapper
from torch import Tensor, nn

from ...catalog import CONFIGS
from ...registry import GROUPED
from ..detr import build_pair, make_batch
from ..model_sources import Source, build_model
from ..timing import compare
from .gpu_tasks import compile_layers, setr_batch

DETR = CONFIGS / '_base_' / 'models' / 'detr.py'
# forms of a model, the first is the unit of ratio
CLASSIFIERS = {
    'DeiT-S': (
        *('timm:deit_small_patch16_224', 'mmpretrain:deit-small_4xb256_in1k'),
        'ours:deit_s',
    ),
    'Swin-T': (
        *('timm:swin_tiny_patch4_window7_224', 'mmpretrain:swin-tiny_16xb64_in1k'),
        'ours:swin_t',
    ),
    'TNT-S': ('timm:tnt_s_patch16_224', 'mmpretrain:tnt-small-p16_3rdparty_in1k', 'ours:tnt_s'),
}
PUP = {'in_channels': 384, 'channels': 256, 'num_classes': 150, 'norm_cfg': {'type': 'BN'}}
SETR = {
    'mmseg:setr_pup': {
        'backbone': {'type': 'VisionTransformer', 'embed_dims': 384, 'num_heads': 6},
        'decode_head': {'type': 'SETRUPHead', 'num_convs': 4, 'up_scale': 2, 'kernel_size': 3}
        | {'dropout_ratio': 0},
    },
    'ours:setr_pup': {
        'backbone': {'type': 'vitbackbones.ViT', 'final_norm': False},
        'decode_head': {'type': 'vitbackbones.SETRPUPHead'},
    },
}
# height, width and number of pictures, unless the command line names them
CASES = {'classifiers': ((224, 224), 4), 'DETR': ((800, 1333), 2), 'SETR-PUP': ((512, 512), 1)}
# how mmengine builds an optimizer
ADAMW = {'type': 'AdamW', 'lr': 1e-4, 'weight_decay': 0.05}
OPTIMIZERS = {
    'group per tensor': {'optimizer': ADAMW},
    'group per tensor, fused': {'optimizer': {**ADAMW, 'fused': True}},
    'ours': {'optimizer': ADAMW, 'constructor': GROUPED},
}

Loss = Callable[[], Tensor]


def rows(options: Namespace, sources: Mapping[str, Source]) -> Iterator[dict]:
    """Yield a row of the table for every comparison and form."""
    MMLogger.get_current_instance().setLevel('WARNING')  # constructors name every parameter
    for name, forms in CLASSIFIERS.items():
        yield from _compared(name, 'classifiers', options, _classifier_losses(forms, sources))
    yield from _compared('DETR', 'DETR', options, _detr_losses)
    yield from _compared('SETR-PUP', 'SETR-PUP', options, _setr_losses)
    place = {'step': 'optimizer', 'model': 'DeiT-S', 'size': '-', 'batch': '-'}
    for row in compare(_optimizer_steps(sources, options.device), *_protocol(options)):
        yield place | row


def _compared(name: str, case: str, options: Namespace, build: Callable) -> Iterator[dict]:
    """Yield a row for each form whose model and loss ``build(size, batch, device)`` gives."""
    default_size, default_batch = CASES[case]
    for size in options.size or [default_size]:
        for batch in options.batch or [default_batch]:
            torch.manual_seed(0)
            losses = build(size, batch, options.device)
            steps = {form: training_step(*each) for form, each in losses.items()}
            if 'compiled' in options.engine:
                steps |= _compiled(build(size, batch, options.device))
            place = {'step': 'train', 'model': name, 'size': 'x'.join(map(str, size))}
            for row in compare(steps, *_protocol(options)):
                yield place | {'batch': batch} | row


def _protocol(options: Namespace) -> tuple:
    return options.device, options.repeats, options.warm_up


def _compiled(losses: dict[str, tuple[nn.Module, Loss]]) -> dict[str, Callable[[], None]]:
    """Return the steps of our forms with compiled regions."""
    ours = {form: each for form, each in losses.items() if form.startswith('ours:')}
    for model, _ in ours.values():
        compile_layers(model)
    return {f'{form} --compile': training_step(*each) for form, each in ours.items()}


def training_step(model: nn.Module, loss: Loss) -> Callable[[], None]:
    """Return a function that takes one step of training; ``loss`` runs ``model``."""
    model.train()
    parameters = [each for each in model.parameters() if each.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, fused=True)

    def step() -> None:
        loss().backward()
        nn.utils.clip_grad_norm_(parameters, 0.1)
        optimizer.step()
        optimizer.zero_grad()

    return step


# ------------------------------------------------------------------------ models and losses


def _classifier_losses(forms: tuple[str, ...], sources: Mapping[str, Source]) -> Callable:
    def build(size: tuple[int, int], batch: int, device: torch.device) -> dict:
        image = torch.randn(batch, 3, *size, device=device)
        label = torch.arange(batch, device=device)
        models = {form: build_model(form, size, sources).to(device) for form in forms}
        return {
            form: (model, _cross_entropy(model, image, label)) for form, model in models.items()
        }

    return build


def _cross_entropy(model: nn.Module, image: Tensor, label: Tensor) -> Loss:
    return lambda: F.cross_entropy(model(image), label)


def _detr_losses(size: tuple[int, int], batch: int, device: torch.device) -> dict:
    models = build_pair(DETR, device, dropout=True)
    image, samples = make_batch(size, batch, device)
    names = zip(('mmdet:detr', 'ours:detr'), models.values(), strict=True)
    return {form: (model, _total_loss(model, image, samples)) for form, model in names}


def _setr_losses(size: tuple[int, int], batch: int, device: torch.device) -> dict:
    registry = import_module('mmseg.registry').MODELS
    import_module('mmseg.models')
    image, samples = setr_batch(size, batch, device)
    losses = {}
    for form, parts in SETR.items():
        backbone = {**parts['backbone'], 'img_size': size}
        head = {**PUP, **parts['decode_head']}
        settings = {'type': 'EncoderDecoder', 'backbone': backbone, 'decode_head': head}
        model = registry.build({**settings, '_scope_': 'mmseg'}).to(device)
        losses[form] = (model, _total_loss(model, image, samples))
    return losses


def _total_loss(model: nn.Module, image: Tensor, samples: list) -> Loss:
    return lambda: model.parse_losses(model.loss(image, samples))[0]


# ------------------------------------------------------------------------ the optimizer


def _optimizer_steps(sources: Mapping[str, Source], device: torch.device) -> dict[str, Callable]:
    """Return the step of each of ``OPTIMIZERS`` on random gradients, vectors not decayed."""
    steps = {}
    for form, settings in OPTIMIZERS.items():
        model = build_model('ours:deit_s', (224, 224), sources).to(device)
        for parameter in model.parameters():
            parameter.grad = torch.randn_like(parameter)
        rules = {'flat_decay_mult': 0.0}
        wrapper = build_optim_wrapper(model, {**settings, 'paramwise_cfg': rules})
        steps[form] = wrapper.optimizer.step
    return steps
