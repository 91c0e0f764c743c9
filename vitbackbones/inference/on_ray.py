"""Predict a large source on a Ray cluster: Ray Data gives shards to actors with a model each.

An answer does not depend on where it was computed: a shard is answered by :class:`.run.Run`, as
``predict`` does on one machine, and written at once.
"""

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import NamedTuple

from ..data.sources import Source
from ..errors import InputError
from ..utils.cluster import claimed, connected, share_of
from ..utils.messages import plural
from .journal import Journal, require_same
from .open import WRITERS, find_model
from .request import ModelRequest
from .run import Model, Run
from .shards import LOCAL, UNREADABLE, Output, Shard, filesystem, find_shards
from .tiles import in_tiles

SETTINGS = 'settings.json'
MOST_BLOCKS = 10_000  # of Ray Data; more only cost time


@dataclass(frozen=True)
class Job:
    """What all actors know.

    Attributes:
        request: which model to use.
        folder: the current one, which relative paths mean.
        out: the address of the answers.
        suffix: of the shards.
        batch_size: images at a time.
        masks: the form of an object's mask.
    """

    request: ModelRequest
    folder: str
    out: str
    suffix: str
    batch_size: int
    masks: str


class Opened(NamedTuple):
    """A model, and where its answers go."""

    model: Model
    task: str
    out: Output


class Answerer:
    """A model that answers shards; an actor has one."""

    def __init__(self, job: Job) -> None:
        self.job = job

    @cached_property
    def opened(self) -> 'Opened':
        """The model, and where its answers go."""
        if os.path.isdir(self.job.folder):
            os.chdir(self.job.folder)
        found = find_model(self.job.request)
        model = in_tiles(found.load(), found.tiling, self.job.batch_size)
        return Opened(model, found.task, Output(self.job.out, self.job.suffix))

    def __call__(self, row: dict) -> dict:
        """Answer a shard; return how many were answered, or the ``error`` for the user."""
        try:
            return {'answered': self._answer(Shard(**json.loads(row['shard']))), 'error': ''}
        except InputError as error:  # Ray would give it back as a text with many lines
            return {'answered': 0, 'error': str(error)}

    def _answer(self, shard: Shard) -> int:
        """Answer a shard, unless it was written before its actor was lost; return how many."""
        model, task, out = self.opened
        name = out.part(shard.number)
        if out.has(name):
            return 0
        with TemporaryDirectory(prefix='vitbackbones-') as place:
            folder = Path(place)
            sources, failed = fetch(shard, folder / 'images')
            writer = WRITERS[task](folder, model.meta, 0.0, self.job.masks)
            journal = Journal(folder, {}, resume=False)
            run = Run(model, writer, journal, self.job.batch_size, draw=False)
            run.all(sources)
            records = journal.read([source.name for source in sources])
            for file in sorted(folder.rglob('*.png')):
                if 'images' not in file.relative_to(folder).parts[:1]:  # masks
                    out.put(file.relative_to(folder).as_posix(), file.read_bytes())
            paths = {source.name: str(source.path) for source in sources}
            failed |= {key: text.replace(paths[key], key) for key, text in run.failed.items()}
        if lines := [json.dumps({'file_name': key, 'error': failed[key]}) + '\n' for key in failed]:
            out.put(f'{UNREADABLE}/part-{shard.number:06d}.jsonl', ''.join(lines).encode())
        out.put(name, out.answers(records))
        return len(records)


def fetch(shard: Shard, folder: Path) -> tuple[list[Source], dict[str, str]]:
    """Return the pictures of a shard as local files, and the reasons why others are not there."""
    folder.mkdir()
    sources = []
    missing = {}
    for number, (name, address) in enumerate(shard.addresses().items()):
        fs, path = filesystem(address)
        try:
            if fs.unstrip_protocol(path).startswith(LOCAL):
                local = Path(path)
                os.stat(local)
            else:
                local = folder / f'{number}{Path(name).suffix}'  # a name may have any characters
                with fs.open(path, 'rb') as remote, local.open('wb') as copy:
                    shutil.copyfileobj(remote, copy)
        except FileNotFoundError:  # anything else is not the picture's fault, and stops the job
            missing[name] = 'no such file'
            continue
        sources.append(Source(local, name))
    return sources, missing


def predict_on_ray(
    job: Job, source: str, size: int, address: str, settings: dict, resume: bool, overwrite: bool
) -> str:
    """Answer all pictures of a source, and return what was done in words.

    Args:
        job: what actors know.
        source: a folder, list or table, see :func:`.shards.find_shards`.
        size: pictures of a shard.
        address: of the cluster.
        settings: what the answers depend on, by the names that a user knows.
        resume, overwrite: what happens to answers that are there.

    Raises:
        InputError: something of the user's is wrong; what was answered is written.
    """
    shards = find_shards(source, size)
    out = Output(job.out, job.suffix)
    job = replace(job, out=out.address)  # the same for all nodes
    there = out.done() - {UNREADABLE}
    if SETTINGS in there and resume:
        require_same(json.loads(out.read(SETTINGS)), settings, out.address)
    elif there and not overwrite:
        raise InputError(
            f'--out {job.out}: is not empty. Choose another folder, continue there with --resume, '
            'or start from the beginning with --overwrite'
        )
    with connected(address) as ray, claimed(ray, out.address):
        if not resume:
            for name in there:
                out.fs.rm(f'{out.path.rstrip("/")}/{name}', recursive=True)
        out.put(SETTINGS, json.dumps(settings, indent=1).encode())
        done = out.done()
        left = [shard for shard in shards if out.part(shard.number) not in done]
        answered = _go_through(ray, job, left)
    before = f', {len(shards) - len(left)} of them before' if len(left) < len(shards) else ''
    said = (
        f'{plural(len(shards), "shard")} in {out.address}{before}; {answered} images answered now'
    )
    return '; '.join(filter(None, [said, out.say()]))


def _go_through(ray: ModuleType, job: Job, shards: list[Shard]) -> int:
    """Answer shards, with one model on each node; return the number of answers."""
    from ray import data

    if not shards:
        return 0
    share = share_of(ray, (job.request.device or '').startswith('cuda'))
    rows = [{'shard': shard.text()} for shard in shards]
    dataset = data.from_items(rows, override_num_blocks=min(len(rows), MOST_BLOCKS)).map(
        Answerer,
        fn_constructor_args=(job,),
        num_cpus=share.cores,
        num_gpus=share.gpus or None,
        compute=data.ActorPoolStrategy(min_size=1, max_size=share.tasks),
    )
    return count_answers(dataset.iter_rows())


def count_answers(rows: Iterable[dict]) -> int:
    """Return the number of answers in what an :class:`Answerer` returned.

    Raises:
        InputError: a shard could not be answered.
    """
    answered = 0
    for row in rows:
        if row['error']:
            raise InputError(row['error'])
        answered += row['answered']
    return answered
