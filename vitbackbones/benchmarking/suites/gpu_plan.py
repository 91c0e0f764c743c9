"""What the suite for GPUs measures, as data: which models, in which cases, for how long.

A group of models takes turns in one run, and the first that runs is the unit of the others. Groups
stand in the order in which they are measured: what says most comes first.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..model_sources import Size

Group = tuple[str, ...]  # models by their source and name, see ``model_sources``

LOGITS: tuple[Group, ...] = (
    (
        'timm:tnt_s_patch16_224',
        'mmpretrain:tnt-small-p16_3rdparty_in1k',
        'plain:tnt_s',
        'ours:tnt_s',
        'fused:tnt_s',
    ),
    ('plain:sret_s', 'ours:sret_s', 'fused:sret_s'),
    (
        'timm:deit_small_patch16_224',
        'mmpretrain:deit-small_4xb256_in1k',
        'plain:deit_s',
        'ours:deit_s',
        'fused:deit_s',
        'plain:aug_vit_s',
        'ours:aug_vit_s',
        'fused:aug_vit_s',
    ),
    ('timm:swin_tiny_patch4_window7_224', 'mmpretrain:swin-tiny_16xb64_in1k', 'ours:swin_t'),
    ('plain:simple_vit_s', 'ours:simple_vit_s', 'plain:msf_vit_s', 'ours:msf_vit_s'),
    ('plain:swin_t', 'plain:msf_swin_t', 'ours:msf_swin_t'),
    ('plain:pvt_s', 'ours:pvt_s', 'plain:aug_pvt_s', 'ours:aug_pvt_s'),
    ('plain:t2t_14', 'ours:t2t_14', 'plain:aug_t2t_14', 'ours:aug_t2t_14'),
    ('mmpretrain:t2t-vit-t-14_8xb64_in1k', 'plain:t2t_t_14', 'ours:t2t_t_14'),
    ('plain:sret_t', 'ours:sret_t', 'plain:sret_t_global', 'ours:sret_t_global'),
    (
        'timm:mixer_b16_224',
        'mmpretrain:mlp-mixer-base-p16_3rdparty_64xb64_in1k',
        'plain:mixer_b16',
        'ours:mixer_b16',
    ),
    ('plain:recursive_mixer_b16', 'ours:recursive_mixer_b16'),
)
# compiled first, because compiling takes long: the strongest other form of each, or its host
COMPILED: tuple[Group, ...] = (
    ('timm:tnt_s_patch16_224', 'ours:tnt_s'),
    ('ours:deit_s', 'ours:aug_vit_s'),
    ('plain:sret_s', 'ours:sret_s'),
    ('timm:deit_small_patch16_224', 'ours:deit_s'),
    ('timm:swin_tiny_patch4_window7_224', 'ours:swin_t', 'ours:msf_swin_t'),
    ('ours:simple_vit_s', 'ours:msf_vit_s'),
    ('plain:pvt_s', 'ours:pvt_s', 'ours:aug_pvt_s'),
    ('plain:t2t_14', 'ours:t2t_14', 'ours:aug_t2t_14'),
    ('mmpretrain:t2t-vit-t-14_8xb64_in1k', 'ours:t2t_t_14'),
    ('timm:mixer_b16_224', 'ours:mixer_b16'),
    ('plain:sret_t', 'ours:sret_t', 'ours:sret_t_global'),
)
# backbones with maps for answers, for images that are not square
MAPS: tuple[Group, ...] = (
    ('mmdet:retinanet_pvt-s_fpn_1x_coco', 'ours:pvt_s', 'ours:aug_pvt_s'),
    ('ours:deit_s', 'ours:aug_vit_s', 'ours:tnt_s'),
    ('mmpretrain:swin-tiny_16xb64_in1k', 'ours:swin_t', 'ours:msf_swin_t'),
    ('ours:simple_vit_s', 'ours:msf_vit_s'),
    ('ours:sret_s', 'ours:sret_s_global'),
    ('ours:t2t_14', 'ours:aug_t2t_14'),
)


@dataclass(frozen=True)
class Plan:
    """What is measured.

    Attributes:
        minutes: no measurement begins that would probably end later than so long after the start.
        logits: groups of classifiers, which run eagerly.
        sizes: (height, width) of their images, and the numbers of images in the order in which
            they are measured.
        maps: groups of backbones.
        map_sizes: the same for them.
        compiled: groups of classifiers that are compiled, and then all others; empty where
            nothing is.
        precision: a key of ``steps.PRECISIONS``, of weights and images.
        counted: (height, width) of two images on which attention calls and kernels are counted.
        busy: (height, width) and number of images for the shares of the device's peaks.
        peak_side: side of the square matrices, and the root of the bytes copied, that the peaks
            are measured with.
        detr, setr: (height, width) of the two images of a training step.
        narrow: whether detector and segmentor are built narrow, for a dry run.
    """

    minutes: float
    logits: Sequence[Group]
    sizes: dict[Size, Sequence[int]]
    maps: Sequence[Group]
    map_sizes: dict[Size, Sequence[int]]
    compiled: Sequence[Group]
    precision: str
    counted: Size
    busy: tuple[Size, int]
    peak_side: int
    detr: Size
    setr: Size
    narrow: bool = False

    @property
    def own(self) -> list[str]:
        """The models of this project among the classifiers, in order."""
        return [spec for group in self.logits for spec in group if spec.startswith('ours:')]


# by the kind of the device; on a CPU everything runs small, a dry run;
# 224 x 224 is what not all other models can do without
PLANS = {
    'cuda': Plan(
        minutes=8.5,
        logits=LOGITS,
        sizes={(224, 224): (128, 1), (512, 512): (16,)},
        maps=MAPS,
        map_sizes={(800, 1333): (2,)},
        compiled=COMPILED,
        precision='bfloat16',
        counted=(224, 224),
        busy=((224, 224), 128),
        peak_side=8192,
        detr=(800, 1333),
        setr=(512, 512),
    ),
    'cpu': Plan(
        minutes=8.5,
        logits=LOGITS,
        sizes={(224, 224): (1,)},
        maps=MAPS,
        map_sizes={(64, 96): (1,)},
        compiled=(),
        precision='float32',
        counted=(224, 224),
        busy=((224, 224), 1),
        peak_side=256,
        detr=(64, 96),
        setr=(64, 64),
        narrow=True,
    ),
}
