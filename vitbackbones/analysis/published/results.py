"""The results that papers print: a model, a task, the number, and where it stands.

The one place for published accuracies: ``docs/models.md`` is written from it, and a test compares
the headers of the configs with it. Numbers are kept as printed, because their digits say how exact
they are. What is not here was not printed, or is not known to us.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Task:
    """What a published result was measured on.

    Attributes:
        config: the name of the config for a model in this task, ``{}`` being the model; empty if
            there is none.
        metric: what the number is.
    """

    config: str
    metric: str


_IMAGENET = 'top-1, ImageNet val'
_MIOU = 'mIoU, ADE20K val'
_BOX_AP = 'AP AP50 AP75 APs APm APl, COCO val2017'

TASKS = {
    'imagenet': Task('cls_{}_imagenet', _IMAGENET),
    'imagenet_300e': Task('cls_{}_300e_imagenet', f'{_IMAGENET}, 300 epochs'),
    'imagenet_512': Task('cls_{}_512_imagenet', f'{_IMAGENET}, 512 pixels'),
    'imagenet_384': Task('cls_{}_384_imagenet', f'{_IMAGENET}, 384 pixels'),
    'imagenet_distilled': Task('cls_{}_distill_imagenet', f'{_IMAGENET}, distilled'),
    'imagenet_other': Task('', f'{_IMAGENET}, in a recipe that no config has'),
    'cifar10': Task('cls_{}_cifar10', 'top-1'),
    'cifar100': Task('cls_{}_cifar100', 'top-1'),
    'flowers102': Task('cls_{}_flowers102', 'top-1'),
    'pets': Task('cls_{}_pets', 'top-1'),
    'inat2018': Task('cls_{}_inat2018', 'top-1'),
    'inat2019': Task('cls_{}_inat2019', 'top-1'),
    'coco': Task('detr_{}_coco', _BOX_AP),
    'coco_retinanet': Task('retinanet_{}_coco', _BOX_AP),
    'coco_masks': Task(
        'mask_rcnn_{}_coco', 'AP, or AP AP50 AP75, of boxes / of masks, COCO val2017'
    ),
    'coco_other': Task('', 'AP, COCO val2017, of another model'),
    'ade20k_mla': Task('setr_mla_{}_ade20k', _MIOU),
    'ade20k_pup': Task('setr_pup_{}_ade20k', _MIOU),
    'ade20k_fpn': Task('semantic_fpn_{}_ade20k', _MIOU),
    'ade20k_upernet': Task('upernet_{}_ade20k', _MIOU),
    'ade20k_mask2former': Task('mask2former_{}_ade20k', _MIOU),
    'coco_instances': Task('mask2former_instance_{}_coco', 'AP of masks, COCO val2017'),
    'coco_panoptic': Task('mask2former_panoptic_{}_coco', 'PQ, COCO val2017'),
    'ade20k_other': Task('', f'{_MIOU}, of another model'),
}


@dataclass(frozen=True)
class Result:
    """One published result.

    Attributes:
        model: for ``create_model``, or a network of mmdet or mmpretrain, such as ``r50``.
        task: a key of :data:`TASKS`.
        value: as printed; of segmentation one scale / several with flips where both are.
        source: the paper, and where in it.
        options: for ``create_model``.
        variant: what the name of the config adds to the model's.
    """

    model: str
    task: str
    value: str
    source: str
    options: dict = field(default_factory=dict)
    variant: str = ''

    @property
    def config(self) -> str:
        """The name of the config that is meant to give this result; empty if there is none."""
        name = f'{self.model}_{self.variant}' if self.variant else self.model
        return TASKS[self.task].config.format(name)


def _printed(
    task: str, source: str, options: dict | None = None, variant: str = '', **values: str
) -> list[Result]:
    """Return the results of several models in one place of a paper."""
    return [
        Result(model, task, value, source, options or {}, variant)
        for model, value in values.items()
    ]


_TWO_GROUPS = ({'groups': 2}, 'g2')
_TL_SLICES = {'groups': ((16, 1), (14, 1), (1, 1))}
_SRET_README, _SRET_PAPER = "SReT, repository's README", 'SReT, paper, no weights released'
_MASK2FORMER = "Mask2Former, repository's model zoo"
_TNT_ARXIV = 'TNT, Table 8 of its first version on arXiv'

RESULTS = (
    *_printed('imagenet', 'DeiT, Table 5', deit_ti='72.2', deit_s='79.8', deit_b='81.8'),
    *_printed(
        'imagenet',
        "DeiT, repository's README",
        deit_ti_distilled='74.5',
        deit_s_distilled='81.2',
        deit_b_distilled='83.4',
    ),
    *_printed('imagenet_384', "DeiT, repository's README", deit_b='82.9'),
    *_printed('cifar10', 'DeiT, DeiT-B', deit_b='99.1'),
    *_printed('cifar100', 'DeiT, DeiT-B', deit_b='90.8'),
    *_printed('cifar10', 'Aug-ViT, Table 10', variant='384', deit_b='99.1'),
    *_printed('cifar100', 'Aug-ViT, Table 10', variant='384', deit_b='90.8'),
    *_printed('flowers102', 'Aug-ViT, Table 10', variant='384', deit_b='98.4'),
    *_printed(
        'imagenet',
        'Aug-ViT, Table 2',
        aug_vit_s='80.9',
        aug_vit_b='82.4',
        aug_pvt_s='80.5',
        aug_pvt_m='82.3',
        aug_t2t_14='82.1',
        aug_t2t_19='82.9',
        aug_t2t_24='83.6',
    ),
    *_printed('imagenet_384', 'Aug-ViT, Table 2', aug_vit_b='84.2'),
    *_printed('cifar10', 'Aug-ViT, Table 10', aug_vit_b='99.2'),
    *_printed('cifar100', 'Aug-ViT, Table 10', aug_vit_b='91.3'),
    *_printed('flowers102', 'Aug-ViT, Table 10', aug_vit_b='98.8'),
    *_printed('pets', 'Aug-ViT, Table 10', aug_vit_b='95.1'),
    *_printed(
        'coco',
        'Aug-ViT, Table 9',
        r50='32.3 53.9 32.3 10.7 33.8 53.0',
        deit_s='33.9 54.7 34.3 11.0 35.4 56.6',
        aug_vit_s='35.7 56.7 36.5 12.2 38.0 58.6',
        pvt_s='34.7 55.7 35.4 12.0 36.4 56.7',
        aug_pvt_s='35.1 55.8 35.9 12.5 36.5 57.3',
    ),
    *_printed(
        'coco_retinanet',
        'PVT, Table 3',
        pvt_t='36.7 56.9 38.9 22.6 38.8 50.0',
        pvt_s='40.4 61.3 43.0 25.0 42.9 55.7',
    ),
    *_printed(
        'coco_masks',
        'PVT, Table 4',
        pvt_t='36.7 59.2 39.3 / 35.1 56.7 37.3',
        pvt_s='40.4 62.9 43.8 / 37.8 60.1 40.3',
    ),
    *_printed('coco_masks', 'Swin, repository for detection', swin_t='43.7 / 39.8'),
    *_printed('coco_other', 'ViTDet of detectron2', vit_b='51.6 / 45.9'),
    *_printed('coco_other', 'DINO of mmdetection', r50='49.0'),
    *_printed('coco_other', 'Deformable DETR of mmdetection', r50='44.3'),
    *_printed(
        'imagenet',
        "PVT, repository's README",
        pvt_t='75.1',
        pvt_s='79.8',
        pvt_m='81.2',
        pvt_l='81.7',
    ),
    *_printed(
        'imagenet',
        'T2T-ViT, Table 3',
        t2t_14='81.5',
        t2t_19='81.9',
        t2t_24='82.3',
        t2t_t_14='81.7',
        t2t_t_24='82.6',
    ),
    *_printed('imagenet', "T2T-ViT, repository's README", t2t_t_19='82.4'),
    *_printed('imagenet', "TNT, repository's README", tnt_s='81.5', tnt_b='82.9'),
    *_printed('imagenet', 'TNT, weights converted by timm', tnt_s_legacy='81.5'),
    *_printed('imagenet', 'TNT, Table 4 of its first version on arXiv', tnt_s_se='81.6'),
    *_printed('imagenet_384', _TNT_ARXIV, tnt_s='83.1', tnt_b='83.9'),
    *_printed('cifar10', _TNT_ARXIV, tnt_s='98.7', tnt_b='99.1'),
    *_printed('cifar100', _TNT_ARXIV, tnt_s='90.1', tnt_b='91.1'),
    *_printed('flowers102', _TNT_ARXIV, tnt_s='98.8', tnt_b='99.0'),
    *_printed('pets', _TNT_ARXIV, tnt_s='94.7', tnt_b='95.0'),
    *_printed('coco', 'TNT, Table 10', tnt_s='38.2 58.9 39.4 15.5 41.1 58.8'),
    *_printed(
        'imagenet',
        _SRET_README,
        sret_t='76.0',
        sret_t_global='76.1',
        sret_tl='76.7',
        sret_tl_global='76.8',
        sret_s='81.9',
        sret_s_global='82.0',
    ),
    *_printed('imagenet', _SRET_README, _TL_SLICES, sret_tl='76.6'),
    *_printed('imagenet', 'SReT, Table 2', sret_ext='74.0'),
    *_printed('imagenet', 'SReT, Table 12', sret_b='82.7'),
    *_printed(
        'imagenet_distilled',
        _SRET_README,
        sret_t='77.6',
        sret_t_global='77.7',
        sret_tl='77.7',
        sret_tl_global='77.9',
    ),
    *_printed('imagenet_distilled', _SRET_PAPER, sret_s='82.7', sret_s_global='82.8'),
    *_printed('imagenet_distilled', 'SReT, Table 12', sret_b='83.7'),
    *_printed('imagenet_512', _SRET_README, sret_s_global='84.3'),
    *_printed('imagenet_384', 'SReT, Table 12', sret_b='84.8'),
    *_printed('imagenet_384', _SRET_README, sret_t_global='79.7', sret_s_global='83.8'),
    *_printed('imagenet_384', _SRET_PAPER, sret_t='79.6', sret_tl='79.8', sret_tl_global='80.0'),
    *_printed(
        'imagenet',
        'MSF, Table 6',
        simple_vit_ti='72.25',
        simple_vit_ss='74.65',
        simple_vit_s='78.98',
        simple_vit_b='81.47',
        msf_vit_ti='73.50',
        msf_vit_ss='75.50',
        msf_vit_s='79.79',
        msf_vit_b='81.79',
        resnet50='75.97',
        resnet101='78.36',
        resnext50='77.67',
        resnext101='81.28',
        efficientnet_b0='73.47',
        swin_t='78.92',
        swin_s='81.25',
        msf_swin_t='79.61',
        msf_swin_s='81.33',
    ),
    *_printed(
        'imagenet',
        'MSF, Table 6',
        *_TWO_GROUPS,
        msf_vit_ti='72.74',
        msf_vit_ss='75.09',
        msf_vit_s='79.55',
        msf_vit_b='81.70',
        msf_swin_t='79.25',
        msf_swin_s='81.18',
    ),
    *_printed(
        'imagenet_300e',
        'MSF, Table 6',
        simple_vit_ti='75.71',
        simple_vit_ss='77.22',
        simple_vit_s='80.98',
        simple_vit_b='82.67',
        msf_vit_ti='76.81',
        msf_vit_ss='78.20',
        msf_vit_s='81.49',
        msf_vit_b='82.86',
        resnet50='78.78',
        resnet101='80.72',
        resnext50='80.11',
        resnext101='81.71',
        efficientnet_b0='76.04',
        swin_t='81.69',
        swin_s='83.43',
        msf_swin_t='82.34',
        msf_swin_s='83.70',
    ),
    *_printed(
        'imagenet_300e',
        'MSF, Table 6',
        *_TWO_GROUPS,
        msf_vit_ti='76.20',
        msf_vit_ss='77.31',
        msf_vit_s='81.41',
        msf_vit_b='82.65',
        msf_swin_t='81.95',
        msf_swin_s='83.52',
    ),
    *_printed('inat2018', 'MSF, Table 7', simple_vit_s='66.84', msf_vit_s='68.19'),
    *_printed('inat2018', 'MSF, Table 7', *_TWO_GROUPS, msf_vit_s='67.94'),
    *_printed('inat2019', 'MSF, Table 7', simple_vit_s='73.45', msf_vit_s='74.60'),
    *_printed('inat2019', 'MSF, Table 7', *_TWO_GROUPS, msf_vit_s='74.74'),
    *_printed('ade20k_mla', 'MSF, Table 7', simple_vit_s='41.81', msf_vit_s='44.01'),
    *_printed('ade20k_mla', 'MSF, Table 7', *_TWO_GROUPS, msf_vit_s='43.50'),
    *_printed('ade20k_mla', "SETR, repository's README", deit_b='46.15 / 47.71'),
    *_printed('ade20k_pup', "SETR, repository's README", vit_l='48.62 / 50.09'),
    *_printed('ade20k_other', 'SETR-PUP of mmsegmentation', vit_l='48.24 / 49.99'),
    *_printed('ade20k_other', 'UPerNet of mmsegmentation', deit_s='42.87'),
    *_printed('ade20k_other', 'UPerNet of mmsegmentation, 4 sizes', deit_s='43.82 / 45.07'),
    *_printed('ade20k_fpn', "PVT, repository's README", pvt_t='36.6', pvt_s='41.9'),
    *_printed('ade20k_upernet', 'Swin, repository for segmentation', swin_t='44.51 / 45.81'),
    *_printed('ade20k_mask2former', _MASK2FORMER, swin_t='47.7 / 49.6'),
    *_printed('coco_instances', _MASK2FORMER, swin_t='45.0'),
    *_printed('coco_panoptic', _MASK2FORMER, swin_t='53.2'),
    *_printed('imagenet_other', "Swin, repository's README", swin_t='81.2', swin_s='83.2'),
    # pretrained on ImageNet-21k
    *_printed('imagenet_other', "mmpretrain's model zoo", mixer_b16='76.68'),
)


def results_of(model: str, options: dict, tasks: tuple[str, ...]) -> list[Result]:
    """Return the results of one model in each of ``tasks``, in the order of the tasks."""
    return [
        result
        for task in tasks
        for result in RESULTS
        if (result.model, result.options, result.task) == (model, options, task)
    ]
