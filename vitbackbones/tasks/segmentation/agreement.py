"""What must agree between settings of a segmentor's config."""

from collections.abc import Iterator, Mapping

from ...configuration.settings import as_list, type_at, value_at
from ...processes import processes_here

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
    if type_at(model) != 'EncoderDecoder' or settings.get('mode') != 'slide':
        return
    missing = [key for key in ('crop_size', 'stride') if settings.get(key) is None]
    if missing:
        yield f"model.test_cfg.{missing[0]}: is missing, mode='slide' needs it"
        return
    window, step = (settings[key] for key in ('crop_size', 'stride'))
    if all(isinstance(pair, list | tuple) for pair in (window, step)) and (
        step[0] > window[0] or step[1] > window[1]
    ):
        yield f'model.test_cfg.stride: is {step}, larger than crop_size={window}: it leaves gaps'


def pooled_maps_are_normalized(config: Mapping) -> Iterator[str]:
    """Check that the batch norm behind UPerNet's pooling to one position sees several images."""
    head = value_at(config, 'model.decode_head')
    if type_at(head) != 'UPerHead' or type_at(head.get('norm_cfg')) not in ('BN', 'SyncBN'):
        return
    if value_at(config, 'train_dataloader.batch_size') == 1 and processes_here() == 1:
        yield (
            'train_dataloader.batch_size: is 1, but UPerHead normalizes one position of each image '
            'over the batch, which takes two images or more'
        )
