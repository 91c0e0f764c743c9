"""One training step: forward, loss, backward, clipped gradients and a step of AdamW.

Classifiers beside timm's and mmpretrain's, DETR beside mmdet's with the same weights (ResNet-18
below it, dropout 0.1, ten objects a picture), SETR-PUP on a ViT-S beside mmseg's. All have the same
fused AdamW with one group. Then the optimizer's part alone, on DeiT-S: torch's default with a group
for each tensor, as mmengine makes them, beside what our configs make of the same settings.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial

import torch
import torch.nn.functional as F
from mmengine.logging import MMLogger
from mmengine.optim import build_optim_wrapper
from mmengine.registry import HOOKS
from mmengine.structures import PixelData
from torch import Tensor, nn

from vitbackbones.registry import GROUPED, SCOPE

from .command import start
from .detr import build_pair, make_batch
from .model_sources import Size, build_model
from .sources import SOURCES
from .timing import compare

# forms of a model, the first is the unit of ratio
CLASSIFIERS = {
    'DeiT-S': ('timm:deit_small_patch16_224', 'mmpretrain:deit-small_4xb256_in1k', 'ours:deit_s'),
    'Swin-T': (
        *('timm:swin_tiny_patch4_window7_224', 'mmpretrain:swin-tiny_16xb64_in1k'),
        'ours:swin_t',
    ),
    'TNT-S': ('timm:tnt_s_patch16_224', 'mmpretrain:tnt-small-p16_3rdparty_in1k', 'ours:tnt_s'),
}
PUP = {'in_channels': 384, 'channels': 256, 'num_classes': 150, 'norm_cfg': {'type': 'BN'}}
SETR = {
    'mmseg:setr_pup': (
        {'type': 'VisionTransformer', 'embed_dims': 384, 'num_heads': 6},
        {'type': 'SETRUPHead', 'num_convs': 4, 'up_scale': 2, 'kernel_size': 3, 'dropout_ratio': 0},
    ),
    'ours:setr_pup': (
        {'type': 'vitbackbones.ViT', 'final_norm': False},
        {'type': 'vitbackbones.SETRPUPHead'},
    ),
}
# height, width and number of pictures
IMAGES = {'classifiers': ((224, 224), 4), 'DETR': ((800, 1333), 2), 'SETR-PUP': ((512, 512), 1)}
# how mmengine builds an optimizer
ADAMW = {'type': 'AdamW', 'lr': 1e-4, 'weight_decay': 0.05}
OPTIMIZERS = {
    'group per tensor': {'optimizer': ADAMW},
    'group per tensor, fused': {'optimizer': {**ADAMW, 'fused': True}},
    'ours': {'optimizer': ADAMW, 'constructor': GROUPED},
}
Losses = dict[str, tuple[nn.Module, Callable[[], Tensor]]]  # by form: a model, and what runs it


def classifiers(forms: tuple[str, ...], size: Size, batch: int, device: torch.device) -> Losses:
    image = torch.randn(batch, 3, *size, device=device)
    label = torch.arange(batch, device=device)
    models = {form: build_model(form, size, SOURCES).to(device) for form in forms}
    return {
        form: (model, lambda model=model: F.cross_entropy(model(image), label))
        for form, model in models.items()
    }


def detr(size: Size, batch: int, device: torch.device, depth: int = 18) -> Losses:
    pair = build_pair(device, depth)
    return _with_losses(
        {f'{kind}:detr': model for kind, model in pair.items()}, *make_batch(size, batch, device)
    )


def setr(size: Size, batch: int, device: torch.device) -> Losses:
    from mmseg import models as _  # noqa: F401  fills the registry
    from mmseg.registry import MODELS

    models = {}
    for form, (backbone, head) in SETR.items():
        parts = {'backbone': {**backbone, 'img_size': size}, 'decode_head': {**PUP, **head}}
        models[form] = MODELS.build({'type': 'EncoderDecoder', '_scope_': 'mmseg', **parts})
        models[form].to(device)
    return _with_losses(models, *labeled_pixels(size, batch, device))


def labeled_pixels(size: Size, batch: int, device: torch.device) -> tuple[Tensor, list]:
    """Return images (N, 3, H, W) and their samples with one of 150 classes for each pixel."""
    from mmseg.structures import SegDataSample

    samples = []
    for _ in range(batch):
        classes = PixelData(data=torch.randint(150, (1, *size), device=device))
        meta = dict.fromkeys(('img_shape', 'ori_shape', 'pad_shape'), size)
        samples.append(SegDataSample(metainfo=meta, gt_sem_seg=classes))
    return torch.randn(batch, 3, *size, device=device), samples


def _with_losses(models: dict[str, nn.Module], image: Tensor, samples: list) -> Losses:
    return {
        form: (model, lambda model=model: model.parse_losses(model.loss(image, samples))[0])
        for form, model in models.items()
    }


def compile_layers(model: nn.Module) -> None:
    """Compile what ``train --compile`` compiles of a model."""
    HOOKS.build({'type': f'{SCOPE}.CompileHook'}).before_train(Namespace(model=model))


def training_step(model: nn.Module, loss: Callable[[], Tensor]) -> Callable[[], None]:
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


def optimizer_steps(device: torch.device) -> dict[str, Callable]:
    """Return the step of each of ``OPTIMIZERS`` on random gradients, vectors not decayed."""
    steps = {}
    for form, settings in OPTIMIZERS.items():
        model = build_model('ours:deit_s', (224, 224), SOURCES).to(device)
        for parameter in model.parameters():
            parameter.grad = torch.randn_like(parameter)
        rules = {'flat_decay_mult': 0.0}
        steps[form] = build_optim_wrapper(
            model, {**settings, 'paramwise_cfg': rules}
        ).optimizer.step
    return steps


def rows(options: Namespace) -> Iterator[dict]:
    """Yield a row for every comparison and form."""
    MMLogger.get_current_instance().setLevel('WARNING')  # constructors name every parameter
    protocol = options.device, options.repeats, options.warm_up
    cases = {name: ('classifiers', partial(classifiers, f)) for name, f in CLASSIFIERS.items()}
    cases |= {'DETR': ('DETR', detr), 'SETR-PUP': ('SETR-PUP', setr)}
    for name, (kind, build) in cases.items():
        size, batch = IMAGES[kind]
        torch.manual_seed(0)
        losses = build(size, batch, options.device)
        steps = {form: training_step(*each) for form, each in losses.items()}
        if options.compile:
            for form, (model, loss) in build(size, batch, options.device).items():
                if form.startswith('ours:'):
                    compile_layers(model)
                    steps[f'{form} --compile'] = training_step(model, loss)
        for row in compare(steps, *protocol):
            yield {'model': name, 'size': 'x'.join(map(str, size)), 'batch': batch} | row
    for row in compare(optimizer_steps(options.device), *protocol):
        yield {'model': 'AdamW on DeiT-S', 'size': '-', 'batch': '-'} | row


def _add_compile(add) -> None:
    add('--compile', action='store_true', help='add our forms with compiled blocks')


if __name__ == '__main__':
    start(__doc__, rows, _add_compile)
