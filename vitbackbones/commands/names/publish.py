"""``vitbackbones publish``: write weights, model card and config of a trained run to a folder.

options:
  work_dir      work dir of a training
  --checkpoint  checkpoint to publish (default: the best, otherwise the latest)
  --backbone    publish only the backbone, in half precision, for train --pretrained
  --half        publish the weights in half precision, for models that start from them
  --without     leave out weights whose keys match a pattern, such as 'bbox_head.cls_convs.*'
  --out         folder to write (default: WORK_DIR/published)
  --overwrite   replace DIR if an earlier call wrote it
  --license     license of the weights, as the Hugging Face hub writes it: apache-2.0, ... (default:
                unknown)

examples:
  %(prog)s work_dirs/detr_aug_vit_s_shapes --out detr_shapes --license apache-2.0

The folder contains
  model.safetensors  the weights that validation evaluated, and the class names
  README.md          the model card: metrics from the log, classes, mean and std, hash
  config.py          the config, without paths of this machine
and the score threshold of the weights, if test --report has chosen one.

test and predict accept the folder as CHECKPOINT. "hf upload OWNER/NAME DIR" uploads it to the
Hugging Face hub.
"""

import hashlib
import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import torch
from safetensors.torch import save
from torch import Tensor

from ...errors import InputError
from ...reports.model_card import BACKBONE, TrainedRun, portable_text, read_run, write_card
from ...runtime.card import ENDING, read_threshold, write_threshold
from ...utils.files import whole_folder
from ...utils.run_files import PUBLISHED
from ...version import __version__
from ...weights.convert.state_dict import stored_size
from ...weights.read.load import DATASET_META, load_file
from ...weights.read.pickles import IMG_SIZE

FILES = {PUBLISHED, 'README.md', 'config.py', f'{PUBLISHED}{ENDING}'}


def add_arguments(parser: ArgumentParser) -> None:
    """Describe the command line."""
    add = parser.add_argument
    add('work_dir', metavar='WORK_DIR')
    add('--checkpoint', metavar='FILE')
    add('--backbone', action='store_true')
    add('--half', action='store_true')
    add('--without', nargs='+', metavar='PATTERN', default=[])
    add('--out', metavar='DIR')
    add('--overwrite', action='store_true')
    add('--license', default='unknown')


def publish(options: Namespace) -> None:
    """Do what ``vitbackbones publish --help`` describes.

    Raises:
        InputError: the folder is no work dir of a training, or ``--out`` is there already or holds
            other files.
    """
    work_dir = Path(options.work_dir).expanduser()
    out = Path(options.out).expanduser() if options.out else work_dir / 'published'
    run = read_run(work_dir, options.checkpoint)
    run = replace(run, state=without(run.state, options.without))
    if options.backbone or options.half:
        run = replace(run, state=in_half(run.state, BACKBONE if options.backbone else ''))
    with whole_folder(out.absolute(), '--out') as folder:
        if out.exists() and not options.overwrite:
            raise InputError(
                f'--out {out}: already exists; choose another folder, or use --overwrite'
            )
        ours = out.is_dir() and {file.name for file in out.iterdir()} <= FILES  # no work dir is
        if out.exists() and not ours:
            raise InputError(
                f'--out {out}: contains other files than {", ".join(sorted(FILES))}, so it is '
                'not replaced; choose another folder'
            )
        _write(run, folder, options.license)
    print(f'{run.checkpoint} -> {out}: {", ".join(sorted(file.name for file in out.iterdir()))}')


def without(state: dict[str, Tensor], patterns: Sequence[str]) -> dict[str, Tensor]:
    """Return the entries whose keys match none of the patterns of a shell.

    Raises:
        InputError: a pattern matches no key.
    """
    for pattern in patterns:
        if not any(fnmatchcase(key, pattern) for key in state):
            raise InputError(f'--without {pattern}: no weight has such a key')
    return {
        key: value
        for key, value in state.items()
        if not any(fnmatchcase(key, pattern) for pattern in patterns)
    }


def in_half(state: dict[str, Tensor], prefix: str = '') -> dict[str, Tensor]:
    """Return the entries whose keys start with ``prefix``, numbers in half precision."""
    own = {key: value for key, value in state.items() if key.startswith(prefix)}
    return {key: x.half() if x.is_floating_point() else x for key, x in own.items()}


def _write(run: TrainedRun, folder: Path, license: str) -> None:
    about = {
        'format': 'pt',
        'library': f'vitbackbones {__version__}',
        'config': run.name,
        DATASET_META: json.dumps(run.meta),
    }
    if size := stored_size(run.state):
        about[IMG_SIZE] = json.dumps({'backbone': size})
    # clones, because tensors that share memory are refused
    state = {key: value.contiguous().clone() for key, value in run.state.items()}
    data = save(state, metadata=about)
    (folder / PUBLISHED).write_bytes(data)
    read = load_file(folder / PUBLISHED)['state_dict']
    if not all(torch.equal(read[key], value) for key, value in run.state.items()):
        raise InputError(
            f'{folder / PUBLISHED}: the file on the disk differs from the weights that were written'
        )
    if threshold := read_threshold(run.checkpoint):
        write_threshold(folder / PUBLISHED, threshold)
    sha256 = hashlib.sha256(data).hexdigest()
    (folder / 'README.md').write_text(write_card(run, PUBLISHED, len(data), sha256, license))
    (folder / 'config.py').write_text(portable_text(run))
