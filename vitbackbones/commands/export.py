"""``vitbackbones export``: export a model, and compare the file with it."""

import copy
from argparse import Namespace
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from mmengine.config import Config

from ..backbones.names import MODELS
from ..configuration.data_paths import locate_data
from ..configuration.image_size import size_line, size_of_training
from ..configuration.names import config_name, find_config
from ..configuration.read import read_config
from ..data.sources import find_sources
from ..errors import InputError
from ..export.formats import require_packages
from ..export.judges import Agreement, Validation, pictures_of
from ..export.lower_precision import MOST_DROP, Int8, prove_bfloat16, require_bfloat16, to_int8
from ..export.parity import IN_HALF, in_words
from ..export.placing import written
from ..export.subject import of_config, of_model
from ..export.writing import Settings
from ..export.writing import export as write
from ..inference.configured import read_model_config, weights_along
from ..preparing.data_sets import check_data
from ..preparing.explain import explained
from ..preparing.own_data import folder_options, take_classes_of, use_own_data
from ..preparing.pretrained import prepare_pretrained
from ..runtime.card import Card, card_path, parts
from ..runtime.runtimes import FORMATS
from ..training.find_checkpoint import choose_checkpoint, find_checkpoint
from ..utils.files import prepare_folder
from ..utils.messages import command_line, page, plural, show_warnings


def export(options: Namespace) -> None:
    """Do what ``vitbackbones export --help`` describes.

    Raises:
        InputError: something of the user's is wrong, or what was written does not answer as the
            model does; nothing is left of it then.
    """
    require_packages(options.to)
    _require_measurable(options)
    file = _target(options)
    sources = find_sources(options.images, file.parent / '-') if options.images else []
    settings = Settings(
        format=options.to,
        dynamic=options.dynamic,
        size=options.size,
        batch=options.batch_size,
        preprocess=options.preprocess,
    )
    if options.checkpoint and options.untrained:
        raise InputError(
            '--untrained exports random weights; remove either --untrained or CHECKPOINT'
        )
    images = [source.path for source in sources]
    is_measured = options.precision != 'f32'
    took = 'several minutes' if is_measured else 'about a minute, longer for a large model'
    print(f'writing {file.name} and comparing it with the model: {took}', flush=True)
    config = None
    if options.config in MODELS:
        subject = of_model(options.config, options.checkpoint, trained=not options.untrained)
    else:
        config = _find_weights(_config(options), options)
        with explained(config):
            subject = of_config(config, options.output)
    with TemporaryDirectory() as folder:
        finish = _finish(config, options, images, folder) if is_measured else None
        card = write(subject, settings, file, images, finish)
    megabytes = sum(each.stat().st_size for each in parts(file)) / 1e6
    print(f'{file} ({megabytes:.1f} MB) and {card_path(file).name}')
    print(*_proof(card), sep='\n')
    print(f'try it: {command_line("predict", file, "IMAGES", "--out", "out")}')


def _require_measurable(options: Namespace) -> None:
    """Check what other precisions need, and that the options of INT8 are not given without it."""
    if options.precision != 'int8' and (options.calibrate or options.accuracy_control):
        raise InputError('--calibrate and --accuracy-control require --int8')
    if options.precision == 'f32':
        return
    option = '--int8' if options.precision == 'int8' else f'--precision {options.precision}'
    if options.to != 'openvino':
        raise InputError(
            f'{option} requires --to openvino; other runtimes can be slower in INT8 than in '
            f'float32 ({page("export")})'
        )
    if options.untrained:
        raise InputError(f'{option} measures the loss of trained weights; remove --untrained')
    if options.precision == 'bf16':
        require_bfloat16()


def _target(options: Namespace) -> Path:
    suffix = FORMATS[options.to].suffix
    name = config_name(find_config(options.config) or options.config)
    file = Path(options.out or f'{name}{suffix}').expanduser().absolute()
    if file.suffix != suffix:
        raise InputError(
            f'--out {options.out}: must have the suffix {suffix} with --to {options.to}'
        )
    there = written(file)
    if folder := next(filter(Path.is_dir, there), None):
        raise InputError(f'--out: {folder} is a folder; choose another --out')
    if there and not options.overwrite:
        raise InputError(f'{there[0]} already exists; choose another --out, or use --overwrite')
    prepare_folder(file.parent, '--out')
    return file


def _proof(card: Card) -> Iterator[str]:
    """Say what was compared, and what other precisions cost."""
    parity = card.parity
    said = card.int8
    objects = f' with {plural(parity["objects"], "object")}' if 'objects' in parity else ''
    seen = f'on {plural(parity["images"], "image")}{objects}'
    if parity.get('objects') == 0:
        yield (
            f'the model detected nothing {seen}, so no boxes were compared; give --images '
            'with objects'
        )
    else:
        yield f'largest differences from the model {seen}: {in_words(parity["differences"])}'
    padded = [step['size'] for step in card.steps if step['type'] == 'pad' and 'size' in step]
    if padded:
        height, width = padded[0]
        yield (
            f'images that do not become {height} x {width} pixels are padded, which can change '
            'what is found; --dynamic size avoids this, or --size for images of one shape'
        )
    if half := card.bf16:
        yield (
            f'in bf16, {half["metric"]} is {half["bf16"]:.4f} ({half["float32"]:.4f} in '
            f'float32) on {half["pictures"]} images; predict and test use bf16 where the '
            'processor has it'
        )
    else:
        yield from _own_precision(parity.get('by_itself', {}))
    if said:
        number = len(said['in_float32'])
        kept = f', {plural(number, "layer")} in float32' if number else ''
        yield (
            f'in INT8, {said["metric"]} is {said["int8"]:.4f} ({said["float32"]:.4f} in '
            f'float32) on {said["pictures"]} images, calibrated on {said["calibrated_on"]} '
            f'other images{kept}'
        )


def _own_precision(found: dict) -> Iterator[str]:
    """Say how a file of OpenVINO answers in a program that sets no precision."""
    differences = found.get('differences', {})
    precision = found.get('precision')
    if differences:
        yield f'in {precision}, the default of OpenVINO on this machine: {in_words(differences)}'
    if 'fails' in found or not max(differences.values(), default=0) <= IN_HALF:  # NaN too
        why = found.get('fails', 'these differences are too large')
        yield (
            f'this file must not run in {precision}: {why}. Set INFERENCE_PRECISION_HINT to f32 '
            'in every program that runs it; predict and test already do'
        )


def _finish(
    config: Config | None, options: Namespace, images: list[Path], folder: str
) -> Callable[[Path], Card]:
    """Return what proves another precision of the file; a model by name has no config, and no data.

    It is judged on ``images`` where no test set is here; an evaluation writes to ``folder``.
    """
    tested_on = config and _with_data(config, options, 'test')
    pictures = _calibration(config, options, folder) if options.precision == 'int8' else []
    if tested_on:
        judge = partial(Validation, config=tested_on, work_dir=folder)
    elif images:
        judge = partial(Agreement, files=images)
    else:
        option = '--int8' if options.precision == 'int8' else f'--precision {options.precision}'
        raise InputError(
            f'{option}: there is no test set; give --data-root, or --images to compare on'
        )
    if options.precision == 'int8':
        most = 0.01 if options.max_drop is None else options.max_drop
        settings = Int8(
            pictures=pictures, judge=judge, max_drop=most, control=options.accuracy_control
        )
        return partial(to_int8, settings=settings)
    most = MOST_DROP if options.max_drop is None else options.max_drop

    def prove(file: Path) -> Card:
        try:
            return prove_bfloat16(file, judge, most)
        except InputError as error:
            if options.precision != 'auto':
                raise
            print(f'--precision auto: f32, because {error}')
            return Card.read(file)

    return prove


def _calibration(config: Config | None, options: Namespace, folder: str) -> list[Path]:
    """Return the images that INT8 is calibrated on."""
    if options.calibrate:
        given = find_sources(options.calibrate, Path(folder), '--calibrate')
        return [source.path for source in given]
    if config and config.get('train_dataloader') is None:
        raise InputError('--int8: the config has no train_dataloader; give --calibrate')
    trained_on = config and _with_data(config, options, 'train')
    if not trained_on:
        raise InputError('--int8: there is no training set; give --data-root or --calibrate')
    return pictures_of(trained_on, 'train')


def _with_data(config: Config, options: Namespace, split: str) -> Config | None:
    """Return a config whose data of a split are there, None where they are not."""
    checkpoint = Path(config.load_from) if split == 'test' and config.load_from else None
    try:
        config = use_own_data(
            config, options.data_root, None, checkpoint, **folder_options(options)
        )
        config = locate_data(config, options.data_root, (split,))
    except InputError:
        if options.data_root:
            raise
        return None
    show_warnings(check_data(config, (split,)))
    return config


def _config(options: Namespace) -> Config:
    """Read the config, for images of the size that the checkpoint was trained with."""
    size = None
    if options.checkpoint:
        checkpoint = find_checkpoint(options.checkpoint, 'CHECKPOINT')
        size = size_of_training(read_config(options.config), checkpoint)
    config = read_model_config(options.config, options.cfg_options, size)
    if size:
        print(size_line(config, size, is_given=False))
    return config


def _find_weights(config: Config, options: Namespace) -> Config:
    """Name the checkpoint in ``load_from``, none for a model that is left as it is initialized."""
    if options.untrained:
        config = prepare_pretrained(config, scratch=True)
        config.load_from = None
        return config
    if options.checkpoint:
        checkpoint = choose_checkpoint(options.checkpoint, 'CHECKPOINT')
    else:
        otherwise = (
            'Give CHECKPOINT, the work dir of a training or a file, or --untrained to test the '
            'export.'
        )
        checkpoint = weights_along(config, otherwise)
        print(f'weights: {checkpoint.name}, included in the package')
    config = copy.deepcopy(take_classes_of(config, checkpoint))
    config.load_from = str(checkpoint)
    return config
