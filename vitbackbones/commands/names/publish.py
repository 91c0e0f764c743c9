"""``vitbackbones publish``: write the weights and the model card of a run."""

import hashlib
import json
from argparse import Namespace
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
    card = write_card(run, PUBLISHED, len(data), sha256, license)
    (folder / 'README.md').write_text(card, 'utf-8')
    (folder / 'config.py').write_text(portable_text(run), 'utf-8')
