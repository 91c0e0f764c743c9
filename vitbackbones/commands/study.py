"""A study: one base config, variants of it, the seeds of each, and what a paper printed.

A study is a small Python file:

    base = '_base_/vit_camvid_crops.py'  # a complete config, relative to the study
    source = 'Tang et al., 2021, Table 2'  # of the numbers under ``paper``
    metric = 'accuracy/top1'  # as the log names it
    length = 3  # of every run, in epochs or, where the base counts them, iterations
    seeds = (0, 1, 2)
    baseline = 'identity'
    variants = dict(
        identity=dict(paper=79.8),
        augmented=dict(
            options={'model.backbone.shortcut': dict(type='AugmentedShortcut', paths=2)},
            paper=80.9,
        ),
    )

``options`` are those of ``--cfg-options``; ``length`` and ``seeds`` are the same for all. A variant
that is to be compared with another one than the study's baseline names it with ``against``.
``paper=(80.9, 79.8)`` are the numbers of the variant and of the one that it is compared with, where
the paper printed this pair elsewhere. Names that begin with an underscore are the file's own.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from pprint import pformat

from mmengine.config import Config

from ..configuration.read import read_config, require_sections, with_options
from ..configuration.settings import as_list
from ..errors import InputError
from ..results.analysis.run_log import value_after
from ..utils.messages import did_you_mean

# What a study and a variant hold: the type of each key, and what it is in words.
STUDY = {
    'base': (str, 'the path of a config'),
    'source': (str, 'a text'),
    'metric': (str, 'the name of a metric'),
    'length': (int, 'a whole number'),
    'seeds': (list | tuple, 'a list of whole numbers'),
    'baseline': (str, 'the name of a variant'),
    'variants': (dict, 'a dict of dicts'),
}
VARIANT = {
    'options': (dict, 'a dict of --cfg-options'),
    'paper': (int | float | tuple, 'a number, or two'),
    'against': (str, 'the name of a variant'),
}
SHARED = ('train_cfg', 'randomness')  # what no variant has of its own


@dataclass(frozen=True)
class Variant:
    """One row of a study's table; ``against`` is itself if it is a baseline."""

    name: str
    options: dict
    paper: float | None
    paper_against: float | None
    against: str


@dataclass(frozen=True)
class Study:
    """What a study's file says; ``title`` is the first line of its docstring."""

    file: Path
    title: str
    base: str
    source: str
    metric: str
    length: int
    seeds: tuple[int, ...]
    variants: dict[str, Variant] = field(repr=False)

    @property
    def name(self) -> str:
        return self.file.stem

    def base_config(self) -> Config:
        """Return the base, as long as the study says, and evaluated once, at the end.

        A schedule of the learning rate that lasts to the end of the training still does.

        Raises:
            InputError: it is missing or incomplete, or a schedule would not begin.
        """
        config = read_config(self.file.parent / self.base)
        require_sections(config, 'model', 'train_dataloader', 'val_dataloader', 'train_cfg')
        loop, length = config.train_cfg, self.length
        unit = 'max_epochs' if 'max_epochs' in loop else 'max_iters'
        before = loop[unit]
        loop.update({unit: length, 'val_interval': length})
        for schedule in as_list(config.get('param_scheduler') or []):
            begin = schedule.get('begin', 0)
            in_unit = schedule.get('by_epoch', True) == (unit == 'max_epochs')
            if in_unit and begin >= length:
                place = f'{schedule.type} of {config.filename}'
                raise InputError(f'length={length}: {place} begins at {begin}; run longer')
            if schedule.get('end') == before:
                schedule['end'] = length
                if 'T_max' in schedule:
                    schedule['T_max'] += length - before
        return config

    def runs(self, base: Config, folder: Path) -> list['Run']:
        """Return all runs, the first seed of every variant before the second of any.

        Each goes to VARIANT/seed_N in ``folder``; ``base`` is the config without any variant.
        """
        configs = {name: with_options(base, each.options) for name, each in self.variants.items()}
        runs = []
        for seed in self.seeds:
            for name, config in configs.items():
                settings = config.to_dict()  # which needs no base
                settings['randomness'] = {**settings.get('randomness', {}), 'seed': seed}
                lines = [f'"""Study {self.name}: {name}, seed {seed}."""\n']
                lines += [f'{k} = {pformat(v, sort_dicts=False)}' for k, v in settings.items()]
                place, text = folder / name / f'seed_{seed}', '\n'.join([*lines, ''])
                runs.append(Run(name, seed, place, text, self.metric, self.length))
        return runs


@dataclass(frozen=True)
class Run:
    """One training: a variant with a seed.

    Config and log lie beside its folder, the work dir, where mmengine writes nothing.
    """

    variant: str
    seed: int
    folder: Path
    text: str  # of the config
    metric: str
    length: int  # epochs or iterations

    @property
    def config(self) -> Path:
        return self.folder.with_suffix('.py')

    @property
    def log(self) -> Path:
        return self.folder.with_suffix('.log')

    def __str__(self) -> str:
        return f'{self.variant}, seed {self.seed}'

    def value(self) -> float | None:
        """Return the metric at the end, None if the run is not finished."""
        return value_after(self.folder, self.metric, self.length)

    def require_same_settings(self) -> None:
        """Refuse to mix results of two configs in one table.

        Raises:
            InputError: the run was begun with other settings.
        """
        begun = self.folder.exists() and self.config.is_file()
        if begun and self.config.read_text() != self.text:
            raise InputError(
                f'{self.folder}: was begun with other settings ({self.config.name} beside it); '
                'remove it, or choose another --work-dir'
            )


def read_study(path: str | Path) -> Study:
    """Read a study's file.

    Raises:
        InputError: it is missing, cannot be executed, lacks a key or has an unknown one, a value
            is of another type, or a baseline is no variant.
    """
    config = read_config(path)
    content = {k: v for k, v in config.to_dict().items() if not k.startswith('_')}
    file = Path(config.filename)
    _require(content, STUDY, str(file), needed=STUDY)
    seeds = tuple(content['seeds'])
    if not seeds or len({*seeds}) < len(seeds) or not all(isinstance(s, int) for s in seeds):
        raise InputError(f'{file}: seeds={content["seeds"]}: one or more different whole numbers')
    if content['length'] < 1:
        raise InputError(f'{file}: length={content["length"]}: a whole number from 1')
    docstring = ast.get_docstring(ast.parse(file.read_text())) or file.stem
    variants = {variant.name: variant for variant in _variants(content, file)}
    shared = {key: content[key] for key in ('base', 'source', 'metric', 'length')}
    return Study(file, docstring.splitlines()[0], **shared, seeds=seeds, variants=variants)


def _variants(content: dict, file: Path) -> Iterator[Variant]:
    for name, entry in content['variants'].items():
        place = f'{file}: variants.{name}'
        if not re.fullmatch(r'[\w-]+', name):
            raise InputError(f'{place}: a name is made of letters, digits, _ and -')
        if not isinstance(entry, dict):
            raise InputError(f'{place}: is {entry!r}, but it must be a dict')
        _require(entry, VARIANT, place)
        for key in entry.get('options', {}):
            if key.partition('.')[0] in SHARED:
                raise InputError(f'{place}: {key}: length and seeds are those of the study')
        against = entry.get('against', content['baseline'])
        if against not in content['variants']:
            near = did_you_mean(against, list(content['variants']))
            raise InputError(f'{place}: is compared with {against!r}, which is not a variant{near}')
        paper = entry.get('paper')
        pair = paper if isinstance(paper, tuple) else (paper, None)
        if len(pair) != 2:
            raise InputError(f'{place}: paper={paper}: must be a number, or two')
        yield Variant(name, entry.get('options', {}), *pair, against)


def _require(given: dict, known: dict, place: str, needed: dict | tuple = ()) -> None:
    """Refuse unknown keys, missing ones and values of another type."""
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(key, list(known)) or f'; known: {", ".join(known)}'
            raise InputError(f'{place}: {key}: unknown key{hint}')
        kind, words = known[key]
        if not isinstance(value, kind):
            raise InputError(f'{place}: {key}={value!r}: must be {words}')
    if missing := [key for key in needed if key not in given]:
        raise InputError(f'{place}: no {", ".join(missing)}')
