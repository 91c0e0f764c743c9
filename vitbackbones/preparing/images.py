"""What models are given: pixels of some scale, the facts of a picture, and which files."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from mmengine.config import Config

from ..configuration.data_paths import datasets
from ..configuration.settings import as_list, entries, type_at, value_at
from ..data.checks.findings import color_type
from ..registry import SCOPE
from ..utils.messages import command_line
from ..utils.rules import listed, number

PREPROCESSORS = ('model.data_preprocessor', 'data_preprocessor')
LEVELS = listed(number(), least=1)
# What models and metrics read of a sample, by the step that packs it.
READ = {
    'PackDetInputs': {'img_id', 'ori_shape', 'img_shape', 'scale_factor'},
    'PackSegInputs': {'ori_shape', 'img_shape'},
}


def image_rules(config: Mapping) -> Iterator[str]:
    """Yield where pixels, maps or facts of a picture are others than what a model reads."""
    yield from _normalization(config)
    backbone = value_at(config, 'model.backbone') or {}
    kind = value_at(backbone, 'out_type')
    dense = config.get('default_scope') in ('mmdet', 'mmseg')
    if dense and kind not in (None, 'featmap') and str(backbone.get('type')).startswith(SCOPE):
        yield f"model.backbone.out_type: is {kind!r}, but the heads require feature maps: 'featmap'"
    for place, dataset in datasets(config):
        for index, step in entries(dataset.get('pipeline') or ()):
            keys = value_at(step, 'meta_keys')
            missing = READ.get(type_at(step), set()) - {*as_list(keys)}
            if 'border' in as_list(keys):  # of CornerNet and CenterNet, which pad and do not resize
                missing -= {'scale_factor'}
            if keys is not None and missing and not place.startswith('train'):
                yield (
                    f'{place}.pipeline.{index}.meta_keys: has no {", ".join(sorted(missing))}, '
                    'which the evaluation requires'
                )


def _normalization(config: Mapping) -> Iterator[str]:
    loaded = (color_type(dataset.get('pipeline') or ()) for _, dataset in datasets(config))
    in_bytes = all(isinstance(color, str) for color in loaded)  # other bands may have any scale
    for place in PREPROCESSORS:
        mean, std = (value_at(config, f'{place}.{key}') for key in ('mean', 'std'))
        if not (LEVELS.fits(mean) and LEVELS.fits(std)):
            continue
        backbone = value_at(config, 'model.backbone') or {}
        ours = str(backbone.get('type')).startswith(SCOPE)
        channels = backbone.get('in_channels', 3) if ours else len(mean)
        if len(mean) != len(std):
            yield f'{place}.mean: has {len(mean)} values, but std has {len(std)}'
        elif len(mean) not in (1, channels):
            yield (
                f'{place}.mean: has {len(mean)} values, but images have {channels} channels; '
                f'{command_line("check", "CONFIG", "--statistics")} prints the mean of the data'
            )
        elif in_bytes and (0 < max(mean) <= 1 or max(std) < 1):
            yield (
                f'{place}.mean: {list(mean)} and std {list(std)} are for pixels from 0 to 1, '
                'but pixels are from 0 to 255 here; multiply both by 255'
            )


def shared_files(config: Config) -> list[str]:
    """Return a line for each dataset of validation whose files are those of training."""
    training = {_files(dataset): place for place, dataset in datasets(config, ('train',))}
    return [
        f'{place} reads the same files as {training[files]} ({files[0]}), so its metrics do not '
        'show how the model does on other images'
        for place, dataset in datasets(config, ('val',))
        if any(files := _files(dataset)) and files in training
    ]


def _files(dataset: Mapping) -> tuple[str, ...]:
    """Return the annotations and folders that a dataset reads."""
    prefix = dataset.get('data_prefix') or {}
    folders = [*prefix.values()] if isinstance(prefix, Mapping) else [prefix]
    named = [dataset.get('ann_file'), *folders]
    root = dataset.get('data_root') or ''
    return tuple(str(Path(root, name)) for name in named if isinstance(name, str) and name)
