"""``vitbackbones predict``: run a model on images, folders and videos, and write what it answers.

The model is a config and its weights, which torch computes, or an exported file. For that, nothing
of torch or OpenMMLab is imported.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ..errors import InputError
from ..export.in_predict import WRITERS, ExportedModel
from ..export.runtime.runtimes import RUNTIMES, is_exported
from ..inference.journal import Journal
from ..inference.run import Run
from ..inference.sources import Source, find_sources
from ..utils.files import LOCK, folder_lock, prepare_folder
from .cli import SHARED, add_shared, count, import_needed

# Options of a model that torch computes, and what they are where they are not given
OF_TORCH = {'device': None, 'amp': False, 'fused': None, 'compile': False, 'cfg_options': {}}

EXAMPLES = """\
examples:
  %(prog)s detr_aug_vit_s_shapes photo.jpg --out out  # weights that come with the package
  %(prog)s detr_aug_vit_s_shapes work_dirs/detr_aug_vit_s_shapes photos --out out
  %(prog)s quick_detector work_dirs/quick_detector photo.jpg film.mp4 --out out --amp
  %(prog)s model.onnx photos --out out  # an exported file, with its card beside it

Out come out/predictions.json, out/pictures and, for segmentation, index masks in out/masks; the
segments of a panoptic model are in out/panoptic.json and out/panoptic. A file that fails is named,
the others are done, and the exit status is 2. What is answered is at once in out/predictions.jsonl,
a line for each image, and predictions.json is made of it at the end, also after Ctrl-C, SIGTERM or
SIGHUP. Whatever stopped it, the same command goes on with --resume.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    parser.epilog = EXAMPLES
    add = parser.add_argument
    config = f'{SHARED["config"]["help"]}, or an exported file ({", ".join(RUNTIMES)})'
    add('config', metavar='CONFIG', help=config)
    weights = (
        'a file of weights, the work dir for the latest, or WORK_DIR/best; not needed for an '
        'exported file or if weights come along'
    )
    add('checkpoint', metavar='CHECKPOINT', help=weights)
    add('inputs', nargs='*', metavar='INPUT', help='images, folders, videos')
    add('--out', required=True, metavar='DIR', help='where results go; must be empty or new')
    used = parser.add_mutually_exclusive_group()
    go_on = 'continue the prediction in DIR, with the same model, settings and inputs'
    used.add_argument('--resume', action='store_true', help=go_on)
    replace = 'start from the beginning although DIR is not empty'
    used.add_argument('--overwrite', action='store_true', help=replace)
    add_shared(add, '--device')
    faster = parser.add_mutually_exclusive_group()
    faster.add_argument('--amp', action='store_true', help='compute in half precision')
    add_shared(faster.add_argument, '--fused')
    add_shared(add, '--compile')
    add('--batch-size', type=count, default=1, metavar='N', help='images at a time (default: 1)')
    add('--score-threshold', '--score-thr', **SHARED['--score-threshold'])  # its earlier name
    masks = 'form of the masks in predictions.json (default: rle)'
    add('--masks', choices=['rle', 'polygons'], default='rle', help=masks)
    add_shared(add, '--trusted', '--cfg-options')


class ExportedFile:
    """An exported file that was asked for, but not read.

    Attributes:
        inputs: what the command line names to be predicted.

    Raises:
        InputError: an option is for models that torch computes.
    """

    def __init__(self, options: Namespace) -> None:
        self.file = Path(options.config)
        self.trusted = options.trusted
        self.inputs = [options.checkpoint, *options.inputs]
        for name, default in OF_TORCH.items():
            if getattr(options, name) != default:
                option = f'--{name.replace("_", "-")}'
                raise InputError(f'{self.file}: an exported file takes no {option}; leave it out')

    def open(self) -> ExportedModel:
        """Read the file and its card."""
        self.model = ExportedModel(self.file, self.trusted)
        return self.model

    def writer(self, *given):
        """Make what writes the answers."""
        return WRITERS[self.model.exported.card.task](*given)

    def settings(self) -> dict:
        """Return what the answers depend on, by the names that a user knows."""
        return {'the exported file': f'{self.file.name} ({self.model.exported.card.file_sha256})'}


def predict(options: Namespace) -> None:
    """Do what ``vitbackbones predict --help`` describes.

    Raises:
        InputError: something of the user's is wrong; before anything is computed where possible,
            and at the end if a file failed.
        KeyboardInterrupt: Ctrl-C, or another signal that ends a tool; what was answered is written.
    """
    if is_exported(options.config):
        asked = ExportedFile(options)
    else:
        asked = import_needed('commands.eager_model', 'predict').EagerModel(options)
    out = prepare_folder(options.out, '--out')
    with folder_lock(out, '--out'):
        _require_ready(out, options)
        sources = find_sources(asked.inputs, out)
        model = asked.open()
        writer = asked.writer(out, model.meta, options.score_threshold, options.masks)
        settings = asked.settings() | _settings(options, sources)
        run = Run(model, writer, Journal(out, settings, options.resume), options.batch_size)
        names = run.all(sources)
    done = len(sources) - len(run.failed)
    print(f'{done} of {len(sources)} files: {", ".join(names)} and pictures in {out}')
    if run.failed:
        raise InputError(f'{len(run.failed)} of {len(sources)} files failed, see above')


def _require_ready(out: Path, options: Namespace) -> None:
    used = any(file.name != LOCK for file in out.iterdir())
    if used and not options.resume and not options.overwrite:
        raise InputError(
            f'--out {out}: is not empty. Choose another folder, --resume to continue the '
            'prediction there, or --overwrite, which starts from the beginning and replaces '
            'predictions.json and the pictures of the same names.'
        )


def _settings(options: Namespace, sources: Sequence[Source]) -> dict:
    """Return what the answers and the names of their files depend on beside the model."""
    return {
        'the folder of the inputs': str(sources[0].path).removesuffix(sources[0].name),
        '--score-threshold': options.score_threshold,
        '--masks': options.masks,
        '--batch-size': options.batch_size,
    }
