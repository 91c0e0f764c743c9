"""Arguments that several verbs share, and what the docstring of a verb says of its own.

options:
  config             name of a config (list them with 'vitbackbones configs') or a config file
  checkpoint         a .pth file that training wrote, its work dir (uses the latest checkpoint), or
                     WORK_DIR/best
  --work-dir         folder for logs and checkpoints (default: work_dirs/<config name>)
  --data-root        folder of the dataset, instead of the one in the config
  --annotations      use these annotation files in COCO format, if the folder has several: paths or
                     patterns relative to it
  --pictures         use these images of --data-root, such as 'images/{}.jpg'; {} is the part of the
                     name that an image and its mask share, * matches any part of a name, ** any
                     folders (default: all images with a mask)
  --masks            use these masks for the images, such as 'masks/{}_mask.png'
  --cfg-options      change settings of the config, such as train_dataloader.batch_size=4
  --backbone         use this backbone instead of the one in the config: timm:NAME, hf:NAME
                     (transformers) or a name that 'vitbackbones models' lists; neck, heads and
                     normalization are adapted
  --size             resize images to N pixels instead of the size in the config, and scale crops,
                     padding and windows in proportion; if the config has two sides, N is the
                     shorter one
  --launcher         launcher that started the processes of this run (default: none, for a single
                     process)
  --runtime          use this runtime. The default, auto, uses OpenVINO on a CPU if it is installed
                     and can run the model; otherwise torch. The model is exported once and cached
  --precision        precision of OpenVINO: f32, or bf16 or int8 if export or test has measured the
                     loss in it; auto uses bf16 if its loss was measured and the processor supports
                     it (default: auto)
  --device           use this device: cpu, cuda, cuda:1, ... or mps (default: a GPU if there is
                     one)
  --tiles            split images into overlapping square tiles with sides of SIDE pixels, and merge
                     the predictions of the tiles
  --overlap          overlap neighboring tiles by this fraction of their side (default: 0.2)
  --merge            if several tiles predict the same object, keep the best prediction (nms) or
                     merge boxes and masks (nmm) (default: nms)
  --score-threshold  show only objects with at least this score (default: the score that test
                     --report has chosen for these weights, otherwise 0.3)
  --trusted          allow an exported .pt2 file, which may contain code; other exported files
                     contain none
  --fused            fuse constant operations, with equal results up to rounding; with bfloat16, the
                     backbone also runs in bfloat16
  --compile          fuse the weights and compile the backbone (torch.compile), usually the fastest
                     for single images on a CPU; the first image and the second image size take a
                     minute or two
"""

from argparse import SUPPRESS, Action, ArgumentTypeError
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..utils.literals import is_balanced, read_value
from ..utils.messages import LONGEST
from ..utils.rules import PRECISIONS, SIDE, Rule, named, number, whole

LARGEST = 2**26  # pixels of an image, more than any network computes at once


class ConfigOptions(Action):
    """``--cfg-options KEY=VALUE ...`` as mmengine reads it, with a message where it cannot."""

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        from mmengine.config import DictAction  # here: most verbs' arguments do without

        options = dict(getattr(namespace, self.dest) or {})
        for pair in values:
            key, equals, value = pair.partition('=')
            if not equals or not all(key.split('.')):
                parser.error(f'{option_string} {pair}: expected KEY=VALUE')
            if not is_balanced(value):
                parser.error(f'{option_string} {pair}: a bracket is not closed or not opened')
            try:
                if 'dict(' in value or '{' in value:  # which mmengine does not know
                    options[key] = read_value(value)
                elif set(value) & set('[](),'):
                    options[key] = DictAction._parse_iterable(value)
                else:  # mmengine itself takes all spaces out, also those of a path
                    options[key] = DictAction._parse_int_float_bool(value.strip('\'"'))
            except ValueError as error:
                parser.error(f'{option_string} {key}: {error}')
            except (AssertionError, RecursionError):  # of mmengine, about commas and brackets
                parser.error(f'{option_string} {pair}: cannot be read as a value')
        setattr(namespace, self.dest, options)


class Backbone(Action):
    """``--backbone NAME``: the first of ``--cfg-options``, which may change what it is."""

    def __call__(self, parser, namespace, values, option_string=None) -> None:
        setattr(namespace, self.dest, {'model.backbone': values, **getattr(namespace, self.dest)})


def fitting(rule: Rule, read: Callable[[str], Any] = int) -> Callable[[str], Any]:
    """Return an argument's ``type``: what is read from a text has to fit a rule."""

    def value(text: str) -> Any:
        with suppress(ValueError):
            if rule.fits(found := read(text)):
                return found
        raise ArgumentTypeError(f'{text[:LONGEST]} is not {rule.text}')

    return value


# Types of arguments.
count = fitting(named('a whole number from 1 to 999,999,999', whole(1, 10**9 - 1)))
size = fitting(number(above=0), float)
score = fitting(number(least=0, most=1), float)
part = fitting(named('a number between 0 and 1', number(above=0, below=1)), float)


def score_or_file(text: str) -> float | str:
    """Read a score, or the path of a file of scores, as an argument's ``type``."""
    if Path(text).is_file():
        return text
    try:
        return score(text)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f'{error}, and there is no such file') from error


def image_size(text: str) -> tuple[int, int]:
    """Read '224' or '800x1333' as (height, width), as an argument's ``type``."""
    height, _, width = text.partition('x')
    size = count(height), count(width or height)
    if size[0] * size[1] > LARGEST:
        raise ArgumentTypeError(f'{text} has more than {LARGEST:,} pixels')
    return size


def option_texts(docstring: str | None) -> Mapping[str, str]:
    """Return what a docstring says under ``options:``, by the name of an option; else ``''``.

    The text of an option follows two spaces, and goes on in lines that begin further in.

    >>> docstring = '\\noptions:\\n  --out  where all\\n         of it goes\\n  --amp  faster'
    >>> option_texts(docstring)['--out']
    'where all of it goes'
    """
    texts = defaultdict(str)
    name = ''
    section = (docstring or '').partition('\noptions:\n')[2].partition('\n\n')[0]
    for line in section.splitlines():
        text = line
        if not line.startswith(3 * ' '):
            name, _, text = line.strip().partition('  ')
        texts[name] = f'{texts[name]} {text.strip()}'.strip()
    return texts


HELP = option_texts(__doc__)
# Options by name, and what a parser's ``add_argument`` is told of them.
SHARED = {
    'config': {'metavar': 'CONFIG'},
    'checkpoint': {'metavar': 'CHECKPOINT'},
    '--work-dir': {'metavar': 'DIR'},
    '--data-root': {'metavar': 'DIR'},
    '--annotations': {'nargs': '+', 'default': (), 'metavar': 'FILE'},
    '--pictures': {'metavar': 'PATTERN'},
    '--masks': {'metavar': 'PATTERN'},
    '--cfg-options': {'nargs': '+', 'action': ConfigOptions, 'default': {}, 'metavar': 'KEY=VALUE'},
    '--backbone': {'action': Backbone, 'dest': 'cfg_options', 'default': {}, 'metavar': 'NAME'},
    '--size': {'type': fitting(SIDE), 'metavar': 'N'},
    '--launcher': {'choices': ('none', 'pytorch', 'slurm'), 'default': 'none'},
    '--runtime': {'choices': ('auto', 'torch', 'openvino', 'onnxruntime'), 'default': 'auto'},
    '--precision': {'choices': PRECISIONS, 'default': 'auto'},
    '--device': {},
    '--tiles': {'type': count, 'metavar': 'SIDE'},
    '--overlap': {'type': float, 'default': 0.2, 'metavar': 'PART'},
    '--merge': {'choices': ('nms', 'nmm'), 'default': 'nms'},
    '--score-threshold': {'type': score, 'metavar': 'S'},
    '--trusted': {'action': 'store_true'},
    # None, 'float32' or 'bfloat16'
    '--fused': {'nargs': '?', 'choices': ('float32', 'bfloat16'), 'const': 'float32'},
    '--compile': {'action': 'store_true'},
}
FILE_OPTIONS = ('--annotations', '--pictures', '--masks')  # of the files of --data-root


def add_shared(add: Callable[..., Action], *names: str) -> None:
    """Add options of ``SHARED`` by a parser's, or a group's, ``add_argument``."""
    for name in names:
        add(name, help=HELP[name], **SHARED[name])


def add_local_rank(add: Callable[..., Action]) -> None:
    """Add what launchers pass to each process; torchrun sets LOCAL_RANK instead."""
    # torch.distributed.launch passes one or the other spelling
    add('--local_rank', '--local-rank', type=int, default=0, help=SUPPRESS)
