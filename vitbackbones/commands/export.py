"""``vitbackbones export``: a model as a file for ONNX Runtime, OpenVINO or torch, with proof."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping
from pathlib import Path

from mmengine.config import Config

from ..catalog import config_name, find_config
from ..errors import InputError
from ..exported.card import Card, card_path, parts
from ..exporting.formats import FORMATS, require_packages
from ..exporting.graphs import DYNAMIC
from ..exporting.parity import in_words
from ..exporting.placing import written
from ..exporting.subject import Subject, of_config, of_model
from ..exporting.writing import Settings
from ..exporting.writing import export as write
from ..files import prepare_folder
from ..inference.sources import find_sources
from ..models.names import MODELS
from ..preflight.explain import explained
from ..preflight.own_data import take_classes_of
from ..training.find_checkpoint import choose_checkpoint
from ..verbs import command_line
from .cli import add_shared, count, image_size
from .model_config import read_model_config, weights_along

EXAMPLES = """\
examples:
  %(prog)s detr_aug_vit_s_shapes --to onnx  # weights that come with the package
  %(prog)s quick_detector work_dirs/quick_detector --to openvino --dynamic batch,size
  %(prog)s deit_s --to onnx --dynamic batch --preprocess  # a model by name, published weights

Out come NAME.onnx (or .xml and .bin, or .pt2) and NAME.onnx.json, the card: how pictures become the
input, what the outputs mean, and how far they are from those of the model, which is refused above
1e-4.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    what = "the name of a config or a config file, or of a model ('vitbackbones models' lists them)"
    add('config', metavar='CONFIG', help=what)
    weights = (
        'a file of weights, the work dir for the latest, or WORK_DIR/best; by default those that '
        'come along, of a model by name those that were published'
    )
    add('checkpoint', metavar='CHECKPOINT', nargs='?', help=weights)
    untrained = 'leave weights as they are initialized, to try what can be exported'
    add('--untrained', action='store_true', help=untrained)
    add('--to', choices=FORMATS, required=True, help='the format of the file')
    default = 'the file to write (default: CONFIG with the suffix of the format)'
    add('--out', metavar='FILE', help=default)
    add(
        '--overwrite',
        action='store_true',
        help='replace the file, its weights and its card if they are there',
    )
    open_ = 'leave open the number of images (batch), their size (size), or both (batch,size)'
    add('--dynamic', type=_dynamic, default=(), metavar='WHAT', help=open_)
    size = 'size of the images (default: that of the tests)'
    add('--size', type=image_size, metavar='HxW', help=size)
    number = 'images at once where that is not dynamic (default: 1)'
    add('--batch-size', type=count, default=1, metavar='N', help=number)
    half = 'keep weights in half precision; they are computed with in float32'
    add('--half', action='store_true', help=half)
    preprocess = 'take pictures (N, H, W, 3) in uint8, RGB, and normalize inside'
    add('--preprocess', action='store_true', help=preprocess)
    output = 'of segmentors: a number for each class and pixel, or the best class (default: logits)'
    add('--output', choices=('logits', 'mask'), default='logits', help=output)
    images = 'pictures or folders to compare on, beside random images'
    add('--images', nargs='+', default=[], metavar='INPUT', help=images)
    add_shared(add, '--cfg-options')


def export(options: Namespace) -> None:
    """Do what ``vitbackbones export --help`` describes.

    Raises:
        InputError: something of the user's is wrong, or what was written does not answer as the
            model does; nothing is left of it then.
    """
    require_packages(options.to)
    file = _target(options)
    pictures = _pictures(options.images, file.parent)
    settings = Settings(
        format=options.to,
        dynamic=options.dynamic,
        size=options.size,
        batch=options.batch_size,
        half=options.half,
        preprocess=options.preprocess,
    )
    card = write(_subject(options), settings, file, pictures)
    _report(card, file)


def _report(card: Card, file: Path) -> None:
    """Say what was written, how far its answers are from the model's, and how to use it."""
    megabytes = sum(each.stat().st_size for each in parts(file)) / 1e6
    print(f'{file} ({megabytes:.1f} MB) and {card_path(file).name}')
    print(_proof(card.parity))
    print(f'try it: {command_line("predict", file, "PICTURE", "--out", "out")}')


def _proof(parity: Mapping) -> str:
    """Say what was compared."""
    differences = in_words(parity['differences'])
    if 'objects' not in parity:
        return f'largest differences from the model on {parity["images"]} images: {differences}'
    seen = f'on {parity["images"]} images with {parity["objects"]} objects'
    if parity['objects'] == 0:
        return f'the model found nothing {seen}, so no box was compared; give --images with objects'
    return f'largest differences from the model {seen}: {differences}'


def _dynamic(text: str) -> tuple[str, ...]:
    words = tuple(text.split(','))
    if unknown := [word for word in words if word not in DYNAMIC]:
        raise ArgumentTypeError(f'{unknown[0]!r} is not one of {", ".join(DYNAMIC)}')
    return words


def _target(options: Namespace) -> Path:
    """Return the file to write.

    Raises:
        InputError: it has the suffix of another format, it, its weights or its card are there
            already, or cannot be written.
    """
    suffix = FORMATS[options.to].suffix
    name = config_name(find_config(options.config) or options.config)
    file = Path(options.out or f'{name}{suffix}').expanduser().absolute()
    if file.suffix != suffix:
        raise InputError(f'--out {options.out}: --to {options.to} is a file {suffix}')
    there = written(file)
    if folder := next(filter(Path.is_dir, there), None):
        raise InputError(f'--out: {folder} is a folder; choose another --out')
    if there and not options.overwrite:
        raise InputError(f'{there[0]} is there already; choose another --out, or --overwrite')
    prepare_folder(file.parent, '--out')
    return file


def _pictures(inputs: list[str], folder: Path) -> list[Path]:
    """Return the pictures to compare on, of which there may be none."""
    sources = find_sources(inputs, folder / '-') if inputs else []
    return [source.path for source in sources]


def _subject(options: Namespace) -> Subject:
    if options.checkpoint and options.untrained:
        raise InputError('--untrained: is for exporting without CHECKPOINT')
    if options.config in MODELS:
        return of_model(options.config, options.checkpoint, trained=not options.untrained)
    config = read_model_config(options.config, options.cfg_options)
    checkpoint = None if options.untrained else _find_weights(config, options)
    if checkpoint:
        config = take_classes_of(config, checkpoint)
    with explained(config):
        return of_config(config, checkpoint, options.output)


def _find_weights(config: Config, options: Namespace) -> Path:
    if options.checkpoint:
        return choose_checkpoint(options.checkpoint, 'CHECKPOINT')
    otherwise = (
        'Give CHECKPOINT, the work dir of a training or a file, or --untrained to try the export.'
    )
    return weights_along(config, otherwise)
