"""``vitbackbones analyze``: look into trained models, a table and a picture for each analysis.

What is measured is on the disk before anything is drawn.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import torch
from mmengine.config import Config

from ..configuration.checks.explain import explained
from ..configuration.names import resolve
from ..errors import InputError
from ..inference.configured import read_model_config
from ..inference.drawing.sheet import spread
from ..inference.predictor import Predictor, choose_device
from ..inference.sources import find_sources, read_frames
from ..inference.subjects import build_classifier, by_name, of_config
from ..results.analysis.analyses import ANALYSES
from ..results.analysis.reading import Subject
from ..training.cores import share_cores
from ..training.find_checkpoint import choose_checkpoint
from ..utils.files import as_csv, folder_lock, prepare_folder, write_file
from ..utils.messages import page
from ..utils.process_settings import keep_freed_memory
from ..weights.filling import load_pretrained
from .cli import add_shared, count, image_size

OURS = 'ours:'  # in front of the name of a model
DEFAULT_SIZE = (224, 224)  # of images for a model by name

EXAMPLES = f"""\
examples:
  %(prog)s cls_aug_vit_s_imagenet work_dirs/.../epoch_300.pth diversity \\
      --versus cls_deit_s_imagenet work_dirs/.../epoch_300.pth --images photos --out out
  %(prog)s ours:deit_s deit_s.pth attention --images photos --out out
  %(prog)s work_dirs/first work_dirs/second curves --out out

Out come out/WHAT.png and out/WHAT.csv. A model is a config and a checkpoint of it, or
ours:NAME[,KEY=VALUE ...] and a checkpoint of any known layout; without a checkpoint its weights
are random. A config's model sees images as its test pipeline makes them, a model by name their
middle, 224 pixels wide. {page('analysis')} shows every analysis. WHAT is one of

"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    listed = (f'  {name:<13} {entry.help}\n' for name, entry in ANALYSES.items())
    parser.epilog = EXAMPLES + ''.join(listed).replace('%', '%%')
    add = parser.add_argument
    model = 'the model; for curves, one or more work dirs'
    add('models', nargs='+', metavar='CONFIG [CHECKPOINT]', help=model)
    add('what', choices=ANALYSES, metavar='WHAT', help='see below')
    add(
        '--versus',
        nargs='+',
        action='append',
        default=[],
        metavar=('CONFIG', 'CHECKPOINT'),
        help='another model in the same picture; can be given several times',
    )
    add('--out', required=True, metavar='DIR', help='where table and picture go')
    replace = 'replace what an earlier call wrote'
    add('--overwrite', action='store_true', help=replace)
    add('--images', nargs='+', default=[], metavar='DIR', help='images, or folders of them')
    spread_over = 'number of images, spread over DIR (default: 16)'
    add('--count', type=count, default=16, metavar='N', help=spread_over)
    shown = 'number of images whose maps are shown (attention; default: 3)'
    add('--pictures', type=count, default=3, metavar='N', help=shown)
    asked = 'token whose attention is shown (default: the class token, where there is one)'
    add('--query', choices=('class_token', 'all'), help=asked)
    blocks = 'numbers of blocks, from 1 over all stages (default: first, middle and last)'
    add('--blocks', nargs='+', type=count, metavar='N', help=blocks)
    add('--size', type=image_size, metavar='H[xW]', help='show the middle of images in this size')
    add_shared(add, '--device', '--backbone', '--cfg-options')


def analyze(options: Namespace) -> None:
    """Do what ``vitbackbones analyze --help`` describes.

    Raises:
        InputError: a config, a checkpoint, an image or ``--out`` is not usable, or a model lacks
            what is to be looked at.
    """
    analysis = ANALYSES[options.what]
    device = choose_device(options.device)
    out = prepare_folder(options.out, '--out')
    with folder_lock(out, '--out'):
        csv, png = out / f'{options.what}.csv', out / f'{options.what}.png'
        there = [file for file in (csv, png) if file.exists()]
        if there and not options.overwrite:
            raise InputError(
                f'--out: {there[0]} is there already. Choose another folder, or --overwrite to '
                'replace it.'
            )
        share_cores(Config())  # nothing else wants them
        keep_freed_memory()
        torch.manual_seed(0)  # of random weights
        photos = []
        if analysis.needs == 'work dirs':
            names = _names([[folder] for folder in options.models])
            tables = [analysis.measure(resolve(folder)) for folder in options.models]
        else:
            subjects = _subjects(options, device, out)
            names = [subject.name for subject in subjects]
            tables = [analysis.measure(subject, options) for subject in subjects]
            photos = [{subject.name: subject.photos for subject in subjects}]
        rows = [
            {'model': name, **row}
            for name, table in zip(names, tables, strict=True)
            for row in table
        ]
        # numbers of seven digits, as many as single precision has
        rounded = [
            {k: f'{v:.7g}' if isinstance(v, float) else v for k, v in row.items()} for row in rows
        ]
        write_file(csv, as_csv(rounded))
        picture = BytesIO()
        analysis.draw(rows, *photos).savefig(picture, format='png', bbox_inches='tight')
        write_file(png, picture.getvalue())
    print(f'{csv}: {len(rows)} rows; {png.name} beside it')


def _subjects(options: Namespace, device: torch.device, out: Path) -> list[Subject]:
    """Build all models; ``--count`` images, spread over ``--images``, are prepared for each."""
    targets = [options.models, *options.versus]
    if long := next((target for target in targets if len(target) > 2), None):
        raise InputError(
            f'{" ".join(long)}: at most CONFIG CHECKPOINT; --versus begins another model'
        )
    names, found = _names(targets), []
    if not options.images:
        raise InputError(f'{options.what} looks at images: name some with --images')
    sources = find_sources(options.images, out, '--images')
    pictures = [source for source in sources if not source.is_video]
    if not pictures:
        raise InputError(f'--images {" ".join(options.images)}: no image there, only videos')
    chosen = spread(len(pictures), options.count)
    frames = [next(read_frames(pictures[i])) for i in chosen]
    for name, (model, *given) in zip(names, targets, strict=True):
        if not given:
            print(f'{name}: no CHECKPOINT is given, so its weights are random')
        if model.startswith(OURS):
            size = options.size or DEFAULT_SIZE
            classifier = build_classifier(model.removeprefix(OURS), size)
            for file in given:
                load_pretrained(classifier, file)
            found.append(by_name(name, classifier.to(device).eval(), size, frames))
            continue
        config = read_model_config(model, options.cfg_options, is_alone=not options.versus)
        checkpoint = choose_checkpoint(given[0], 'CHECKPOINT') if given else None
        with explained(config):
            predictor = Predictor(config, checkpoint, device)
            found.append(of_config(name, predictor, options.size, frames))
    return found


def _names(targets: Sequence[Sequence[str]]) -> list[str]:
    """Name models by config or work dir, and by all that was typed where these are alike."""
    typed = [' '.join(target) for target in targets]
    if twice := next((name for name in typed if typed.count(name) > 1), None):
        raise InputError(f'{twice}: is named twice')
    short = [
        name.removeprefix(OURS) if name.startswith(OURS) else Path(name).name.removesuffix('.py')
        for name, *_ in targets
    ]
    return short if len({*short}) == len(short) else typed
