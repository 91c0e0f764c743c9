"""``vitbackbones export``: a model as a file for ONNX Runtime, OpenVINO or torch, with proof."""

import copy
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping
from pathlib import Path

from mmengine.config import Config

from ..backbones.names import MODELS
from ..configuration.checks.explain import explained
from ..configuration.checks.own_data import take_classes_of
from ..configuration.checks.pretrained import prepare_pretrained
from ..configuration.names import config_name, find_config
from ..configuration.read import read_config
from ..configuration.steps import Step, take_steps
from ..errors import InputError
from ..export.formats import FORMATS, require_packages
from ..export.graphs import DYNAMIC
from ..export.parity import in_words
from ..export.placing import written
from ..export.runtime.card import card_path, parts
from ..export.subject import of_config, of_model
from ..export.writing import Settings
from ..export.writing import export as write
from ..inference.configured import STEPS as MODEL_STEPS
from ..inference.configured import weights_along
from ..inference.sources import find_sources
from ..training.find_checkpoint import choose_checkpoint
from ..utils.files import prepare_folder
from ..utils.verbs import command_line
from .cli import add_shared, count, image_size

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
        'a file of weights, the work dir for the latest, or WORK_DIR/best (default: weights that '
        'come with the package; for a model by name, the published ones)'
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
    size = 'size of the images (default: the size in tests)'
    add('--size', type=image_size, metavar='HxW', help=size)
    number = 'images at once where that is not dynamic (default: 1)'
    add('--batch-size', type=count, default=1, metavar='N', help=number)
    half = 'keep weights in half precision; they are computed with in float32'
    add('--half', action='store_true', help=half)
    preprocess = 'take pictures (N, H, W, 3) in uint8, RGB, and normalize inside'
    add('--preprocess', action='store_true', help=preprocess)
    output = (
        'of a segmentor: numbers of all classes for a pixel, or the best class (default: logits)'
    )
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
    sources = find_sources(options.images, file.parent / '-') if options.images else []
    settings = Settings(
        format=options.to,
        dynamic=options.dynamic,
        size=options.size,
        batch=options.batch_size,
        half=options.half,
        preprocess=options.preprocess,
    )
    if options.checkpoint and options.untrained:
        raise InputError('--untrained exports without CHECKPOINT; leave one of the two out')
    if options.config in MODELS:
        subject = of_model(options.config, options.checkpoint, trained=not options.untrained)
    else:
        config = take_steps(read_config(options.config), STEPS, options)
        with explained(config):
            subject = of_config(config, options.output)
    card = write(subject, settings, file, [source.path for source in sources])
    megabytes = sum(each.stat().st_size for each in parts(file)) / 1e6
    print(f'{file} ({megabytes:.1f} MB) and {card_path(file).name}')
    print(_proof(card.parity))
    print(f'try it: {command_line("predict", file, "PICTURE", "--out", "out")}')


def _target(options: Namespace) -> Path:
    """Return the file to write."""
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


# ------------------------------------------------------------------------ the steps


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
            'Give CHECKPOINT, the work dir of a training or a file, or --untrained to try the '
            'export.'
        )
        checkpoint = weights_along(config, otherwise)
    config = copy.deepcopy(take_classes_of(config, checkpoint))
    config.load_from = str(checkpoint)
    return config


STEPS = (
    *MODEL_STEPS,
    Step(
        'weights',
        'a checkpoint and its classes, or initial ones (CHECKPOINT, --untrained)',
        _find_weights,
    ),
)
