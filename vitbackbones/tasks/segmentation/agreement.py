"""What must agree between settings of a segmentor's config, and with the maps that heads read."""

from collections.abc import Iterator, Mapping

from ...configuration.data_paths import datasets
from ...configuration.settings import as_list, type_at, value_at
from ...data.loading.load_mask import IGNORED
from ...utils.processes import processes_here
from ..agreement import Maps, Misfit, neck_remedy

SEGMENTORS = ('EncoderDecoder', 'EoMTSegmentor')
IOU_NAMES = {
    'mIoU': ('aAcc', 'mIoU', 'mAcc'),
    'mDice': ('aAcc', 'mDice', 'mAcc'),
    'mFscore': ('aAcc', 'mFscore', 'mPrecision', 'mRecall'),
}


def iou_names(metric: Mapping) -> list[str] | None:
    """Return what an ``IoUMetric`` measures, None where its settings do not tell."""
    if metric.get('prefix'):
        return None
    kinds = as_list(metric.get('iou_metrics', 'mIoU'))
    return [name for kind in kinds for name in IOU_NAMES.get(kind, ())]


def windows_cover(config: Mapping) -> Iterator[str]:
    """Check that a sliding window moves in steps no larger than itself."""
    model = config.get('model') or {}
    settings = model.get('test_cfg') or {}
    if type_at(model) not in SEGMENTORS or settings.get('mode') != 'slide':
        return
    missing = [key for key in ('crop_size', 'stride') if settings.get(key) is None]
    if missing:
        yield f"model.test_cfg.{missing[0]}: is missing, but mode='slide' requires it"
        return
    window, step = (settings[key] for key in ('crop_size', 'stride'))
    if all(isinstance(pair, list | tuple) for pair in (window, step)) and (
        step[0] > window[0] or step[1] > window[1]
    ):
        yield (
            f'model.test_cfg.stride: is {step}, larger than crop_size={window}, which '
            'leaves gaps between windows'
        )


def batches_have_one_size(config: Mapping) -> Iterator[str]:
    """Check that training pads all crops to one size, in one of mmseg's two ways."""
    settings = value_at(config, 'model.data_preprocessor') or {}
    size = settings.get('size')
    key = 'model.data_preprocessor.size'
    if type_at(settings) != 'SegDataPreProcessor':
        return
    if (size is None) == (settings.get('size_divisor') is None):
        yield (
            f'{key}: is {size}; set either this key to the crop size, or size_divisor, but not both'
        )
        return
    for path, dataset in datasets(config, ('train',)) if size else ():
        for crop in [value_at(step, 'crop_size') for step in as_list(dataset.get('pipeline'))]:
            sides = crop if isinstance(crop, list | tuple) else (crop or 0,) * 2
            if any(a < b for a, b in zip(size, sides, strict=True)):
                yield (
                    f'{key}: is {size}, smaller than the crops of {path}.pipeline; set it to {crop}'
                )


def what_is_ignored_has_one_number(config: Mapping) -> Iterator[str]:
    """Check that losses ignore the pixels that padding adds and ``LoadMask`` marks."""
    settings = value_at(config, 'model.data_preprocessor') or {}
    if type_at(settings) != 'SegDataPreProcessor':
        return
    padded = settings.get('seg_pad_val', IGNORED)
    steps = [s for _, d in datasets(config, ('train',)) for s in as_list(d.get('pipeline'))]
    marked = IGNORED if any(type_at(step) == 'LoadMask' for step in steps) else padded
    for key in ('decode_head', 'auxiliary_head'):
        for head in as_list(value_at(config, f'model.{key}') or []):
            ignored = head.get('ignore_index', IGNORED)
            if not ignored == padded == marked:
                yield (
                    f'model.{key}.ignore_index: is {ignored}, but ignored pixels have the value '
                    f'{padded} in padding (data_preprocessor.seg_pad_val) and {marked} in masks; '
                    f'set both keys to {marked}. Otherwise ignored pixels are learned as a class'
                )


def pooled_maps_are_normalized(config: Mapping) -> Iterator[str]:
    """Check that the batch norm behind UPerNet's pooling to one position sees several images."""
    head = value_at(config, 'model.decode_head')
    if type_at(head) != 'UPerHead' or type_at(head.get('norm_cfg')) not in ('BN', 'SyncBN'):
        return
    if value_at(config, 'train_dataloader.batch_size') == 1 and processes_here() == 1:
        yield (
            'train_dataloader.batch_size: is 1, but UPerHead normalizes one position of each '
            'image over the batch, which requires at least two images'
        )


# ------------------------------------------------------------------------ heads and their maps
#
# mmseg compares neither number nor strides of maps before the first step, and a stride that is
# wrong never: heads bring all maps to the size of the first.

# Where heads say the strides of their maps.
STRIDES = {'FPNHead': 'feature_strides', 'Mask2FormerHead': 'strides'}


def decode_head_reads_all_levels(model: Mapping, maps: Maps) -> Iterator[Misfit]:
    """Check that there is a map of the right stride for each that the decode head reads."""
    head = value_at(model, 'decode_head')
    widths = as_list(value_at(head, 'in_channels'))
    if len(widths) == 1:  # any map will do
        return
    strides = head.get(STRIDES.get(type_at(head)))
    fits = len(widths) <= len(maps.channels)
    if fits and strides and len(maps.strides) == len(maps.channels):  # all are known
        read = as_list(head.get('in_index', [*range(len(maps.strides))]))
        fits = list(strides) == [maps.strides[i] for i in read]
    if not fits:
        wanted = (
            f'feature maps of strides {list(strides)}' if strides else f'{len(widths)} feature maps'
        )
        text = f'model.decode_head: {type_at(head)} reads {wanted}, but {maps}'
        yield Misfit(text, neck_remedy(model, maps))


RULES = (
    windows_cover,
    batches_have_one_size,
    what_is_ignored_has_one_number,
    pooled_maps_are_normalized,
)
FITS = (decode_head_reads_all_levels,)
