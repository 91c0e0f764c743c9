"""Patches of what toolboxes import: what is missing has a stand-in, what is unused stays out."""

from .patch import ALL, IF_MISSING, IF_UNUSED, ONEDL, Patch

IMPORTS = (
    Patch(
        'mmcv._ext',
        '`mmdet.models` and parts of mmseg import `mmcv.ops`, which needs the compiled extension',
        'a stand-in serves the operators of `docs/operators.md`; another raises when it is called. '
        'What mmdet and mmseg failed to import without it is imported then',
        'operators:Operators',
        when=IF_MISSING,
    ),
    Patch(
        'mmcv.ops.multi_scale_deform_attn:multi_scale_deformable_attn_pytorch',
        'multi-scale deformable attention on a CPU or in bfloat16 keeps every sampled value',
        'embedding bags sum what is sampled at once, and only the inputs are kept',
        'operators.deformable_attention:attend_in_chunks',
    ),
    Patch(
        'mmpretrain.utils.dependency:WITH_MULTIMODAL',
        '`mmpretrain.models` does not import beside transformers 5',
        'beside transformers 5 the multimodal models, which alone need it, are left out',
        'missing_packages:without_new_transformers',
    ),
    *(
        Patch(
            module,
            'panoptic data and metrics of mmdet need it, and no package index has it',
            'colors of segments and panoptic quality are computed here',
            'panopticapi:PanopticAPI',
            when=IF_MISSING,
        )
        for module in ('panopticapi', 'panopticapi.evaluation', 'panopticapi.utils')
    ),
    *(
        Patch(
            module,
            '`mmdet.datasets` imports it for its augmentation of lanes alone; with it come numba, '
            'scikit-image, an old OpenCV and a second one',
            'a stand-in is imported, and raises when something of it is used',
            'missing_packages:ImgAug',
            when=IF_MISSING,
            releases=ONEDL,
        )
        for module in (
            *('imgaug', 'imgaug.augmenters', 'imgaug.augmentables'),
            *('imgaug.augmentables.lines', 'imgaug.augmentables.segmaps'),
        )
    ),
)


def _optional(module: str, package: str, *needed_by: str, releases: str = ALL) -> Patch:
    """Return the patch of a module that imports another package if that is installed."""
    names = ' or '.join(needed_by)
    return Patch(
        f'{module}:{package}',
        f'{package} is imported, which takes time, although {names} alone needs it',
        f'{package} is not imported here; the module does without, as where it is not installed',
        'missing_packages:UnusedToolboxes',
        when=IF_UNUSED,
        releases=releases,
        needed_by=needed_by,
    )


OTHER_TOOLBOXES = (
    _optional('mmdet.models.reid.base_reid', 'mmpretrain', 'ReID'),
    _optional('mmdet.models.reid.linear_reid_head', 'mmpretrain', 'ReID'),
    _optional('mmdet.models.data_preprocessors.reid_data_preprocessor', 'mmpretrain', 'ReID'),
    _optional('mmseg.models.decode_heads.mask2former_head', 'mmdet', 'Mask2Former'),
    _optional('mmseg.models.decode_heads.maskformer_head', 'mmdet', 'MaskFormer'),
    _optional('mmseg.datasets.onedl', 'mmpretrain', 'OneDL', releases=ONEDL),
    _optional('mmpretrain.models.utils.res_layer_extra_norm', 'mmdet', 'ResLayerExtraNorm'),
    _optional('mmseg.models.backbones.timm_backbone', 'timm', 'TIMMBackbone'),
    _optional('mmdet.models.dense_heads.paa_head', 'sklearn', 'PAAHead', 'LADHead'),
    _optional(
        'mmdet.models.task_modules.tracking.interpolation', 'sklearn', 'InterpolateTracklets'
    ),
)
