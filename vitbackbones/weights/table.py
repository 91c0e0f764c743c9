"""What was published for which model: addresses, hashes, licenses, and what the images must be.

Mean, deviation and crop are those of timm's registry where it has the model, and of the publisher's
code otherwise; the top-1 accuracies are the publishers' own. No address was tried when the table
was made; ``vitbackbones weights --check`` asks each of them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

# The beginning of a file's SHA-256 in its name, as in torch.hub; OpenMMLab's names have dates, too.
HASH = re.compile(r'-(?!20\d{6}\.)([0-9a-f]{8,})\.')


@dataclass(frozen=True)
class Published:
    """A file of published weights.

    Attributes:
        model: what it fills, a name of ``create_model`` where there is one.
        url: https address; None if it is only published for browsers, see ``source``.
        hf_hub: the same weights on the Hugging Face hub, OWNER/NAME.
        size: in bytes; None if not known.
        sha256: all of the file's hash, or the beginning of it that its name carries.
        license: of the weights, as an SPDX identifier in lower case.
        mean, std: of the normalization, for red, green and blue between 0 and 1.
        interpolation: of the resizing before the crop.
        crop_pct: side of the crop, as a part of the short side of the resized image.
        input_size: channels, height and width.
        top1: accuracy on ImageNet in percent as published; None if not known.
        source: publisher, and the page that has the address.
        num_classes: outputs of the file's head.
        options: of ``create_model``, without which the model computes something else.
    """

    model: str
    url: str | None
    hf_hub: str | None
    size: int | None
    sha256: str | None
    license: str
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    interpolation: str
    crop_pct: float
    input_size: tuple[int, int, int]
    top1: float | None
    source: str
    num_classes: int = 1000
    options: Mapping[str, object] = field(default_factory=dict)


IMAGENET = {'mean': (0.485, 0.456, 0.406), 'std': (0.229, 0.224, 0.225)}
HALF = {'mean': (0.5, 0.5, 0.5), 'std': (0.5, 0.5, 0.5)}
AT_224 = {'input_size': (3, 224, 224), 'interpolation': 'bicubic', 'crop_pct': 0.9}
AT_384 = {'input_size': (3, 384, 384), 'interpolation': 'bicubic', 'crop_pct': 1.0}
EDGE_256 = {'crop_pct': 0.875}  # images of 224 pixels are cut from a short side of 256


def _row(name: str, file: str = '', folder: str = '', **facts) -> Published:
    """Complete a row: its address from ``folder`` and ``file``, its hash from the file's name."""
    said = HASH.search(file)
    known = {'model': name, 'hf_hub': None, 'size': None, 'top1': None}
    url, sha256 = folder + file or None, said and said[1]
    return Published(**{**known, 'url': url, 'sha256': sha256, **facts})


def _rows(rows: dict[str, dict], **shared) -> dict[str, Published]:
    return {name: _row(name, **{**shared, **facts}) for name, facts in rows.items()}


_DEIT = _rows(
    {
        'deit_ti': {
            'file': 'deit_tiny_patch16_224-a1311bcf.pth',
            'hf_hub': 'timm/deit_tiny_patch16_224.fb_in1k',
            'top1': 72.2,
        },
        'deit_s': {
            'file': 'deit_small_patch16_224-cd65a155.pth',
            'hf_hub': 'timm/deit_small_patch16_224.fb_in1k',
            'top1': 79.9,
        },
        'deit_b': {
            'file': 'deit_base_patch16_224-b5f2ef4d.pth',
            'hf_hub': 'timm/deit_base_patch16_224.fb_in1k',
            'top1': 81.8,
        },
        'deit_b_384': {
            'model': 'deit_b',
            'file': 'deit_base_patch16_384-8de9b5d1.pth',
            'hf_hub': 'timm/deit_base_patch16_384.fb_in1k',
            'top1': 82.9,
            **AT_384,
        },
        'deit_ti_distilled': {
            'file': 'deit_tiny_distilled_patch16_224-b40b3cf7.pth',
            'hf_hub': 'timm/deit_tiny_distilled_patch16_224.fb_in1k',
            'top1': 74.5,
        },
        'deit_s_distilled': {
            'file': 'deit_small_distilled_patch16_224-649709d9.pth',
            'hf_hub': 'timm/deit_small_distilled_patch16_224.fb_in1k',
            'top1': 81.2,
        },
        'deit_b_distilled': {
            'file': 'deit_base_distilled_patch16_224-df68dfff.pth',
            'hf_hub': 'timm/deit_base_distilled_patch16_224.fb_in1k',
            'top1': 83.4,
        },
        'deit_b_distilled_384': {
            'model': 'deit_b_distilled',
            'file': 'deit_base_distilled_patch16_384-d0272ac0.pth',
            'hf_hub': 'timm/deit_base_distilled_patch16_384.fb_in1k',
            'top1': 85.2,
            **AT_384,
        },
        'regnety_160': {  # the teacher of the distilled models; a model of timm
            'file': 'regnety_160-a5fe301d.pth',
            'hf_hub': 'timm/regnety_160.deit_in1k',
            'crop_pct': 0.95,
        },
    },
    **{**IMAGENET, **AT_224},
    folder='https://dl.fbaipublicfiles.com/deit/',
    license='apache-2.0',
    source='facebookresearch/deit, README_deit.md',
)

_PVT = _rows(
    {
        'pvt_t': {'file': 'pvt_tiny.pth', 'top1': 75.1},
        'pvt_s': {'file': 'pvt_small.pth', 'top1': 79.8},
        'pvt_m': {'file': 'pvt_medium.pth', 'top1': 81.2},
        'pvt_l': {'file': 'pvt_large.pth', 'top1': 81.7},
    },
    **{**IMAGENET, **AT_224, **EDGE_256},
    folder='https://github.com/whai362/PVT/releases/download/v2/',
    license='apache-2.0',
    source='whai362/PVT, classification/README.md',
)

_T2T = _rows(
    {
        't2t_14': {'file': '81.5_T2T_ViT_14.pth.tar', 'top1': 81.5},
        't2t_19': {'file': '81.9_T2T_ViT_19.pth.tar', 'top1': 81.9},
        't2t_24': {'file': '82.3_T2T_ViT_24.pth.tar', 'top1': 82.3},
        't2t_14_384': {
            'model': 't2t_14',
            'file': '83.3_T2T_ViT_14.pth.tar',
            'top1': 83.3,
            'input_size': (3, 384, 384),
        },
        't2t_t_14': {'file': '81.7_T2T_ViTt_14.pth.tar', 'top1': 81.7},
        't2t_t_19': {'file': '82.4_T2T_ViTt_19.pth.tar', 'top1': 82.4},
        't2t_t_24': {'file': '82.6_T2T_ViTt_24.pth.tar', 'top1': 82.6},
    },
    **{**IMAGENET, **AT_224},
    folder='https://github.com/yitu-opensource/T2T-ViT/releases/download/main/',
    license='bsd-3-clause-clear',
    source='yitu-opensource/T2T-ViT, README.md',
)

_NOAH = 'huawei-noah/Efficient-AI-Backbones, tnt_pytorch; address: timm, models/tnt.py'
_TNT = _rows(
    {
        'tnt_s': {
            'file': 'huawei-noah/Efficient-AI-Backbones/releases/download/tnt/tnt_s_81.5.pth.tar',
            'hf_hub': 'timm/tnt_s_patch16_224.in1k',
            'top1': 81.5,
            'source': _NOAH,
        },
        'tnt_b': {
            'file': 'huawei-noah/Efficient-AI-Backbones/releases/download/tnt/tnt_b_82.9.pth.tar',
            'hf_hub': 'timm/tnt_b_patch16_224.in1k',
            'top1': 82.9,
            'source': _NOAH,
        },
        'tnt_s_legacy': {
            'file': 'contrastive/pytorch-image-models/releases/download/TNT/'
            'tnt_s_patch16_224.pth.tar',
            'hf_hub': 'timm/tnt_s_legacy_patch16_224.in1k',
            'top1': 81.52,
            'source': 'contrastive/pytorch-image-models; address: mmpretrain, tnt/metafile.yml',
        },
    },
    **{**HALF, **AT_224},
    folder='https://github.com/',
    license='apache-2.0',
)

_SWIN = _rows(
    {
        'swin_t': {
            'file': 'swin_tiny_patch4_window7_224.pth',
            'hf_hub': 'timm/swin_tiny_patch4_window7_224.ms_in1k',
            'top1': 81.2,
        },
        'swin_s': {
            'file': 'swin_small_patch4_window7_224.pth',
            'hf_hub': 'timm/swin_small_patch4_window7_224.ms_in1k',
            'top1': 83.2,
        },
    },
    **{**IMAGENET, **AT_224},
    folder='https://github.com/SwinTransformer/storage/releases/download/v1.0.0/',
    license='mit',
    source='microsoft/Swin-Transformer, README.md',
)

_VIT_JX = _rows(
    {
        'mixer_b16': {
            'file': 'jx_mixer_b16_224-76587d61.pth',
            'hf_hub': 'timm/mixer_b16_224.goog_in21k_ft_in1k',
            'top1': 76.68,
            'source': "Google's, converted by timm (models/mlp_mixer.py); top-1: mmpretrain",
            **AT_224,
            **EDGE_256,
        },
        'vit_l': {  # what SETR starts from
            'file': 'jx_vit_large_p16_384-b3be5167.pth',
            'source': "Google's, converted by timm; address: fudan-zvg/SETR, README.md",
            **AT_384,
        },
    },
    **HALF,
    folder='https://github.com/rwightman/pytorch-image-models/releases/download/v0.1-vitjx/',
    license='apache-2.0',
)

_RESNET = _rows(
    {
        'resnet50': {  # what DETR starts from; a model of torchvision
            'file': 'resnet50-0676ba61.pth',
            'hf_hub': 'timm/resnet50.tv_in1k',
            'top1': 76.13,
            'interpolation': 'bilinear',
        },
    },
    **{**AT_224, **IMAGENET, **EDGE_256},
    folder='https://download.pytorch.org/models/',
    license='bsd-3-clause',
    source='torchvision, ResNet50_Weights.IMAGENET1K_V1',
)


def _drive(file: str) -> str:
    return f'szq0214/SReT, README.md: https://drive.google.com/file/d/{file}/view'


_SRET = _rows(
    {
        'sret_t': {'source': _drive('1FDTpva6y-I_bKmyVmLFDn_3BlDq3dwni'), 'top1': 76.0},
        'sret_t_global': {'source': _drive('1wHM7NRSkz-WykCSES17xFV56h_m5RMXj'), 'top1': 76.1},
        'sret_tl': {'source': _drive('1uSWvoVLHmOH6rNYiXSxD_rlN5dSBvEm3'), 'top1': 76.7},
        'sret_tl_16_14_1': {
            'model': 'sret_tl',
            'options': {'groups': ((16, 1), (14, 1), (1, 1))},
            'source': _drive('1sKW9KJ5PLkDVXcW6m7dp8ieLwyCJNRqV'),
            'top1': 76.6,
        },
        'sret_tl_global': {'source': _drive('1EXwfiMMa1UVQ_tmY6YQJ-Se0b3bW5NpC'), 'top1': 76.8},
        'sret_s': {'source': _drive('1y6F_bCgS1sagm7pxjAtuSPUB5HoNb8Ed'), 'top1': 81.9},
        'sret_s_global': {'source': _drive('1vlsxJieKhfnw-F6xFiwczvXBuk7ugXxm'), 'top1': 82.0},
        'sret_t_distill': {
            'model': 'sret_t',
            'source': _drive('1xzG4VQyQyxWJfQTcGCE-fuMuK3BwPCjK'),
            'top1': 77.6,
        },
        'sret_t_global_distill': {
            'model': 'sret_t_global',
            'source': _drive('1P1qK-j1Cac5le8-DNUFBbjmIpRThuiVp'),
            'top1': 77.7,
        },
        'sret_tl_distill': {
            'model': 'sret_tl',
            'source': _drive('1l6u0q4kwli5czEyo4TeJANtqsulh-J5G'),
            'top1': 77.7,
        },
        'sret_tl_global_distill': {
            'model': 'sret_tl_global',
            'source': _drive('1FDqkfkw5nZEuTcBmiBKg3lvPJOPQWS6i'),
            'top1': 77.9,
        },
        'sret_t_global_384': {
            'model': 'sret_t_global',
            'source': _drive('11mWAktu6LrNa0Qt61WJGA0eTWoKYD1Be'),
            'top1': 79.7,
            'input_size': (3, 384, 384),
        },
        'sret_s_global_384': {
            'model': 'sret_s_global',
            'source': _drive('1z5whJpXbbtFdjLpS1pCPvKcJhVnYCeo-'),
            'top1': 83.8,
            'input_size': (3, 384, 384),
        },
        'sret_s_global_512': {
            'model': 'sret_s_global',
            'source': _drive('1AZXIGMiGboI-nkoKuPnHnhDlBwZumuiB'),
            'top1': 84.3,
            'input_size': (3, 512, 512),
        },
    },
    **{**IMAGENET, **AT_224, **EDGE_256},
    license='mit',
)

PUBLISHED = {**_DEIT, **_PVT, **_T2T, **_TNT, **_SWIN, **_VIT_JX, **_RESNET, **_SRET}

# Models, and files that configs start from, that nobody published: the nearest network that was,
# or '' where none is near. What the nearest lacks is in LEFT_RANDOM.
NEVER_PUBLISHED = {
    **{f'aug_vit_{arch}': f'deit_{arch}' for arch in ('ti', 's', 'b', 'b_384')},
    **{f'aug_pvt_{arch}': f'pvt_{arch}' for arch in ('s', 'm')},
    **{f'aug_t2t_{arch}': f't2t_{arch}' for arch in ('14', '19', '24')},
    'recursive_mixer_b16': 'mixer_b16',
    'tnt_s_se': 'tnt_s',
    'sret_s_distill': 'sret_s',
    'sret_s_global_distill': 'sret_s_global',
    **dict.fromkeys(('tnt_ti', 'sret_ext', 'sret_b', 'sret_b_distill', 'sret_108'), ''),
    **{f'simple_vit_{arch}': '' for arch in ('ti', 'ss', 's', 'b')},
    **{f'msf_vit_{arch}{g}': '' for arch in ('ti', 'ss', 's', 'b') for g in ('', '_g2')},
    **{f'msf_swin_{arch}{g}': '' for arch in ('t', 's') for g in ('', '_g2')},
}
# What stays as initialized when one of them starts from its nearest: patterns for allow_missing.
LEFT_RANDOM = {
    **{name: ['*.shortcut_*'] for name in NEVER_PUBLISHED if name.startswith('aug_')},
    'recursive_mixer_b16': ['*.shortcut_*'],
    'tnt_s_se': ['*.se.*'],
}
