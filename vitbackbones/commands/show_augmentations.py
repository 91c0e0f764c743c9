"""``vitbackbones browse``: what a classifier's recipe makes of pictures, on one sheet.

A row for each picture: itself, what some epochs of training would see of it, one of these after
MixUp or CutMix with the other rows, and what evaluation sees.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import torch
from mmengine.config import Config
from mmengine.dataset import Compose
from mmengine.registry import MODELS, init_default_scope
from PIL import Image, ImageOps
from torch import Tensor

from ..configuration.data import first_dataset
from ..configuration.read import read_config, require_sections
from ..datasets.load_image import read_image
from ..drawing.sheet import contact_sheet, from_bgr, save, side_by_side, spread
from ..errors import InputError
from ..inference.sources import find_sources
from ..openmmlab.unused_toolboxes import leave_out_unused
from ..tasks import find_task
from ..tasks.classification.task import TASK as CLASSIFICATION
from ..training.hooks.exact_resume import SAMPLE, seed_generators
from .cli import add_shared, count

SIDE = 128  # of a panel, in pixels
SEED = 0


EXAMPLES = """\
example:
  %(prog)s cls_msf_vit_s_imagenet my_pictures --out sheet.jpg
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    add('config', metavar='CONFIG', help='the name or the file of a classification config')
    add('inputs', nargs='+', metavar='INPUT', help='images or folders')
    add('--out', required=True, metavar='FILE', help='the picture to write (.jpg, .png)')
    rows = 'rows, spread over INPUT (default: 6)'
    add('--images', type=count, default=6, metavar='N', help=rows)
    add('--draws', type=count, default=4, metavar='N', help='of training per image (default: 4)')
    add_shared(add, '--cfg-options')


def show(options: Namespace) -> None:
    """Do what ``vitbackbones browse --help`` describes.

    Raises:
        InputError: the config is not a classifier's, or an image cannot be read.
    """
    config = read_config(options.config, options.cfg_options)
    leave_out_unused(config)
    require_sections(config, 'model', 'train_dataloader', 'val_dataloader')
    if find_task(config) is not CLASSIFICATION:
        raise InputError(f'{config.filename}: no classification config (default_scope)')
    init_default_scope(CLASSIFICATION.scope)
    target = Path(options.out).absolute()
    files = [source.path for source in find_sources(options.inputs, target.parent / '-')]
    chosen = spread(len(files), options.images)
    save(sheet(config, [files[i] for i in chosen], options.draws), target)
    print(f'{target}: {len(chosen)} of {len(files)} images')


def sheet(config: Config, files: Sequence[Path], draws: int) -> Image.Image:
    """Draw the rows of ``files``; the same files give the same picture."""
    train, val = (Compose(first_dataset(config, split)['pipeline']) for split in ('train', 'val'))
    drawn = [[_draw(train, file, row, i) for i in range(draws)] for row, file in enumerate(files)]
    mixed = _mixed(config, torch.stack([row[-1] for row in drawn]))  # (files, 3, H, W)
    rows = []
    for file, seen, mix in zip(files, drawn, mixed, strict=True):
        panels = {'file': from_bgr(read_image(str(file)))}
        panels |= {f'training {i + 1}': _picture(image) for i, image in enumerate(seen)}
        panels |= {f'{draws}, mixed': _picture(mix), 'evaluation': _picture(_run(val, file))}
        panels = {title: ImageOps.pad(panel, (SIDE, SIDE)) for title, panel in panels.items()}
        rows.append(side_by_side(panels))
    return contact_sheet(rows, columns=1, width=rows[0].width)


def _draw(pipeline: Compose, file: Path, row: int, epoch: int) -> Tensor:
    torch.default_generator.manual_seed(seed_generators(SAMPLE, SEED, epoch, row))
    return _run(pipeline, file)


def _run(pipeline: Compose, file: Path) -> Tensor:
    """Return the image (3, H, W) in BGR that a pipeline hands to the model."""
    pixels = read_image(str(file))  # for pipelines of data sets that bring the image themselves
    shape = pixels.shape[:2]
    sample = {'img_path': str(file), 'img': pixels, 'img_shape': shape, 'ori_shape': shape}
    return pipeline(sample | {'gt_label': 0})['inputs']


def _mixed(config: Config, images: Tensor) -> Tensor:
    """Return a batch (N, 3, H, W) in BGR after MixUp, CutMix and what else the model does to it."""
    from mmpretrain.structures import DataSample  # no need for it elsewhere

    torch.default_generator.manual_seed(seed_generators(SAMPLE, SEED))
    model = config.model
    settings = {'type': 'ClsDataPreprocessor', **model.get('data_preprocessor', {})}
    preprocessor = MODELS.build({**settings, 'batch_augments': model.get('train_cfg')})
    samples = [DataSample().set_gt_label(0) for _ in images]
    mixed = preprocessor({'inputs': images, 'data_samples': samples}, training=True)['inputs']
    if 'mean' in settings:
        mixed = mixed * preprocessor.std + preprocessor.mean
    return mixed.flip(1) if settings.get('to_rgb') else mixed


def _picture(image: Tensor) -> Image.Image:
    pixels = image.round().clamp(0, 255).byte().permute(1, 2, 0)  # (3, H, W) -> (H, W, 3)
    return from_bgr(pixels.numpy())
