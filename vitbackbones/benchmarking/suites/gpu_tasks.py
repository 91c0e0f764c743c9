"""Training steps of a detector and of a segmentor: OpenMMLab's own against this project's.

``detr``: mmdet's DETR on ResNet-50, from its published config, and this project's with the same
weights. ``setr``: mmseg's SETR-MLA on ViT-L, from its published config, and this project's with the
same weights in the backbone; necks and heads are those of each.

A step is forward, losses, backward and AdamW on two images, the weights in float32 under bfloat16
autocast. The second image of the detector is narrower, so that there is padding to be masked.
"""

import re
from argparse import Namespace
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import torch
from mmengine.config import Config, ConfigDict
from mmengine.registry import HOOKS
from mmengine.structures import PixelData
from torch import Tensor, nn

from ...registry import SCOPE
from .gpu_plan import Size

Batch = tuple[Tensor, list]

# of a dry run
NARROW_DETR = {
    'backbone': {'depth': 18, 'base_channels': 8},
    'neck': {'in_channels': [64]},
    'encoder': {'num_layers': 1},
    'decoder': {'num_layers': 1},
}
NARROW_SETR = {
    'backbone': {'embed_dims': 32, 'num_heads': 2, 'num_layers': 4, 'out_indices': (0, 1, 2, 3)},
    'neck': {'in_channels': [32] * 4},
}
# mmseg's names of the parts of a ViT to this project's
VIT_NAMES = {
    r'^layers\.': 'blocks.',
    r'\.ln(\d)\.': r'.norm\1.',
    r'\.attn\.attn\.in_proj_': '.attn.qkv.',
    r'\.attn\.attn\.out_proj\.': '.attn.proj.',
    r'\.ffn\.layers\.0\.0\.': '.mlp.fc1.',
    r'\.ffn\.layers\.1\.': '.mlp.fc2.',
    r'^patch_embed\.projection\.': 'patch_embed.proj.',
}


def _read(toolbox: str, name: str, changes: dict) -> ConfigDict:
    """Return the model of one of a toolbox's own configs, with ``changes``.

    It gets images that are normalized and padded, so what would do that is left out.
    """
    root = Path(import_module(toolbox).__file__).parent
    import_module(f'{toolbox}.models')  # which the registry is filled by
    config = Config.fromfile(next(root.glob(f'.mim/configs/*/{name}.py')))
    config.merge_from_dict({'model': {**changes, 'data_preprocessor': None}})
    return config.model


def _build(toolbox: str, settings: dict) -> nn.Module:
    torch.manual_seed(0)
    return import_module(f'{toolbox}.registry').MODELS.build(settings)


def build_detr(own: bool, narrow: bool = False) -> nn.Module:
    """Build DETR, this project's ``own`` or mmdet's; both with the same weights."""
    settings = _read('mmdet', 'detr_r50_8xb2-150e_coco', NARROW_DETR if narrow else {})
    settings.type = 'vitbackbones.DETR' if own else 'DETR'
    encoder, decoder = settings.encoder.layer_cfg, settings.decoder.layer_cfg
    for attention in (encoder.self_attn_cfg, decoder.self_attn_cfg, decoder.cross_attn_cfg):
        _name_dropouts(attention)
    return _build('mmdet', settings)


def _name_dropouts(attention: dict) -> None:
    """Write an attention's ``dropout`` as the two that it means.

    mmcv enters it into the default of an argument, so that all later attentions have it, too.
    """
    rate = attention.pop('dropout')
    attention['attn_drop'] = rate
    attention['dropout_layer'] = {'type': 'Dropout', 'drop_prob': rate}


def build_setr(own: bool, narrow: bool = False) -> nn.Module:
    """Build SETR-MLA, this project's ``own`` or mmseg's; the backbones have the same weights."""
    name = 'setr_vit-l_mla_8xb2-160k_ade20k-512x512'
    settings = _read('mmseg', name, NARROW_SETR if narrow else {})
    theirs = _build('mmseg', settings)
    if not own:
        return theirs
    ours = _build('mmseg', _own_setr(settings))
    ours.backbone.load_state_dict(_vit_weights(theirs.backbone.state_dict()))
    return ours


def _own_setr(theirs: ConfigDict) -> dict:
    """Return the settings of this project's SETR-MLA with the sizes of mmseg's."""
    vit, head = theirs.backbone, theirs.decode_head
    widths = {'embed_dims': vit.embed_dims, 'depth': vit.num_layers, 'num_heads': vit.num_heads}
    auxiliary = theirs.auxiliary_head
    return {
        'type': 'EncoderDecoder',
        'backbone': {
            'type': 'vitbackbones.ViT',
            'arch': widths,
            'img_size': vit.img_size,
            'with_cls_token': False,
            'final_norm': False,
            'out_indices': vit.out_indices,
        },
        'neck': {'type': 'vitbackbones.MLANeck', 'in_channels': theirs.neck.in_channels},
        'decode_head': {
            'type': 'vitbackbones.SETRMLAHead',
            'num_classes': head.num_classes,
            'loss_decode': head.loss_decode,
        },
        'auxiliary_head': {
            'type': 'vitbackbones.SETRAuxHead',
            'kind': 'mla',
            'in_index': [each.in_index for each in auxiliary],
            'num_classes': head.num_classes,
            'loss_decode': auxiliary[0].loss_decode,
        },
        'train_cfg': {},
        'test_cfg': theirs.test_cfg,
    }


def _vit_weights(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the weights of mmseg's ViT in the names of this project's, without class token."""
    state = {key: value for key, value in state.items() if key != 'cls_token'}
    state['pos_embed'] = state['pos_embed'][:, 1:]  # the first is the class token's
    for pattern, name in VIT_NAMES.items():
        state = {re.sub(pattern, name, key): value for key, value in state.items()}
    projection = state['patch_embed.proj.weight']
    return {'patch_embed.proj.bias': projection.new_zeros(len(projection))} | state


def detr_batch(size: Size, count: int, device: torch.device) -> Batch:
    """Return images (N, 3, H, W), every second with padding, and their samples with boxes."""
    from ..detr import make_batch

    return make_batch(size, count, device)


def setr_batch(size: Size, count: int, device: torch.device) -> Batch:
    """Return images (N, 3, H, W) and their samples with one of 150 classes for each pixel."""
    from mmseg.structures import SegDataSample

    samples = []
    for _ in range(count):
        classes = PixelData(data=torch.randint(150, (1, *size), device=device))
        meta = {'img_shape': size, 'ori_shape': size, 'pad_shape': size}
        samples.append(SegDataSample(metainfo=meta, gt_sem_seg=classes))
    return torch.randn(count, 3, *size, device=device), samples


class Task(NamedTuple):
    """A training step in two forms.

    Attributes:
        theirs: whose the other form is.
        build: builds this project's form, or theirs.
        make_batch: makes images and samples of a size and number.
    """

    theirs: str
    build: Callable[[bool, bool], nn.Module]
    make_batch: Callable[[Size, int, torch.device], Batch]


TASKS = {
    'detr': Task('mmdet', build_detr, detr_batch),
    'setr': Task('mmseg', build_setr, setr_batch),
}


def make_step(
    task: str, form: str, size: Size, narrow: bool, engine: str, device: torch.device
) -> Callable[[], object]:
    """Return a training step on random images.

    Args:
        task: a key of :data:`TASKS`.
        form: ``'ours'``, or anything else for the toolbox's.
        size: (height, width) of the images.
        narrow: whether the model is built narrow, for a dry run.
        engine: ``'compiled'`` compiles the layers that ``tools/train.py --compile`` does; mmseg's
            ViT has none of them.
        device: where to compute.
    """
    model = TASKS[task].build(form == 'ours', narrow).to(device).train()
    if engine == 'compiled':
        compile_layers(model)
    images, samples = TASKS[task].make_batch(size, 2, device)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(parameters, lr=1e-6, fused=True)  # so slow that nothing diverges

    def step() -> None:
        with torch.autocast(device.type, torch.bfloat16):
            losses = model.loss(images, samples)
        model.parse_losses(losses)[0].backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def compile_layers(model: nn.Module) -> None:
    """Compile what ``tools/train.py --compile`` compiles of a model."""
    HOOKS.build({'type': f'{SCOPE}.CompileHook'}).before_train(Namespace(model=model))
