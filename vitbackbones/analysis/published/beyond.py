"""What papers print of ImageNet classifiers beyond top-1: top-5, and top-1 on ReaL and V2."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Beyond:
    """Results of one model in percent, as printed; empty if not printed.

    Attributes:
        config: the name of the config.
        source: the paper, and where in it.
        top1, top5: on ImageNet's validation set.
        real, v2_top, v2_matched, v2_threshold: top-1 on the sets of ``tools/test.py --dataset``.
    """

    config: str
    source: str
    top1: str
    top5: str = ''
    real: str = ''
    v2_top: str = ''
    v2_matched: str = ''
    v2_threshold: str = ''


_DEIT, _TNT = "DeiT, repository's README", "TNT, repository's README"
_SRET, _ARXIV = 'SReT, Table 6', 'TNT, Table 4 of its first version on arXiv'

BEYOND = (
    Beyond('cls_deit_ti_imagenet', _DEIT, '72.2', '91.1'),
    Beyond('cls_deit_s_imagenet', _DEIT, '79.9', '95.0'),
    Beyond('cls_deit_b_imagenet', _DEIT, '81.8', '95.6'),
    Beyond('cls_deit_ti_distilled_imagenet', _DEIT, '74.5', '91.9'),
    Beyond('cls_deit_s_distilled_imagenet', _DEIT, '81.2', '95.4'),
    Beyond('cls_deit_b_distilled_imagenet', _DEIT, '83.4', '96.5'),
    Beyond('cls_deit_b_384_imagenet', _DEIT, '82.9', '96.2'),
    Beyond('cls_tnt_s_imagenet', _TNT, '81.5', '95.7'),
    Beyond('cls_tnt_b_imagenet', _TNT, '82.9', '96.3'),
    Beyond('cls_tnt_s_imagenet', _ARXIV, '81.3', '95.6'),
    Beyond('cls_tnt_s_se_imagenet', _ARXIV, '81.6', '95.7'),
    Beyond('cls_tnt_b_imagenet', _ARXIV, '82.8', '96.3'),
    Beyond('cls_deit_ti_imagenet', _SRET, '72.2', '', '80.1', '74.4', '59.9', '68.5'),
    Beyond('cls_deit_ti_distilled_imagenet', _SRET, '74.5', '', '82.1', '77.0', '62.3', '71.1'),
    Beyond('cls_sret_t_imagenet', _SRET, '76.0', '', '83.1', '77.9', '64.0', '72.8'),
    Beyond('cls_sret_t_distill_imagenet', _SRET, '77.6', '', '84.4', '79.6', '65.7', '74.2'),
    Beyond('cls_deit_s_imagenet', _SRET, '79.8', '', '85.7', '81.0', '68.1', '76.4'),
    Beyond('cls_deit_s_distilled_imagenet', _SRET, '81.2', '', '86.8', '82.5', '69.7', '77.5'),
    Beyond('cls_sret_s_imagenet', _SRET, '81.9', '', '86.7', '82.8', '70.3', '78.1'),
    Beyond('cls_sret_s_distill_imagenet', _SRET, '82.7', '', '88.1', '84.0', '72.3', '79.9'),
)
