"""A study: one base config, variants of it, the seeds of each, and what a paper printed.

A study is a small Python file:

    base = '_base_/vit_camvid_crops.py'  # a complete config, relative to the study
    source = 'Tang et al., 2021, Table 2'  # of the numbers under ``paper``
    metric = 'accuracy/top1'  # as the log names it; higher is better
    length = 3  # of every run, in epochs or, where the base counts them, iterations
    seeds = (0, 1, 2)
    rates = (3e-4, 1e-3, 2e-3)  # may be left out, then every run has that of the base
    rate_seeds = 1  # how many runs choose among them
    smallest_effect = 0.4  # that matters, in units of the metric; may be left out
    baseline = 'identity'
    variants = dict(
        identity=dict(paper=79.8),
        augmented=dict(
            options={'model.backbone.shortcut': dict(type='AugmentedShortcut', paths=2)},
            paper=80.9,
            expected=(-0.5, 0.5),
        ),
    )

``options`` are those of ``--cfg-options``; ``length`` and ``seeds`` are the same for all. A variant
that is to be compared with another one than the study's baseline names it with ``against``.
``paper=(80.9, 79.8)`` are the numbers of the variant and of the one that it is compared with, where
the paper printed this pair elsewhere. Names that begin with an underscore are the file's own.

With ``rates`` each variant has the learning rate that is best on the validation split, from runs of
seeds that are not among ``seeds``; the others are evaluated on the test split. ``expected`` is
between which bounds the difference will lie, written before the first run.
"""

import ast
import copy
import hashlib
import json
import re
import statistics
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from pprint import pformat

from mmengine.config import Config

from vitbackbones.analysis.run_log import value_after
from vitbackbones.configuration.data_paths import first_dataset
from vitbackbones.configuration.read import read_config, require_sections, with_options
from vitbackbones.configuration.settings import as_list
from vitbackbones.errors import InputError
from vitbackbones.utils.messages import did_you_mean
from vitbackbones.utils.rules import DICT, TEXT, Rule, listed, named, number, whole

from .table import Variant

COUNT = named('an integer of at least 1', whole(1))
PAIR = listed(number(), 2)
# What a study and a variant hold.
STUDY = {
    'base': TEXT,
    'source': TEXT,
    'metric': TEXT,
    'length': COUNT,
    'seeds': Rule(
        'at least one integer, all different',
        lambda x: listed(whole(0), least=1).fits(x) and len({*x}) == len(x),
    ),
    'baseline': TEXT,
    'variants': DICT,
}
VARIANT = {
    'options': DICT,
    'paper': named('a number or two numbers', number() | PAIR),
    'against': TEXT,
    'expected': Rule('two numbers, the smaller one first', lambda x: PAIR.fits(x) and x[0] < x[1]),
}
OPTIONAL = {
    'rates': named('a list of learning rates above 0', listed(number(above=0), least=1)),
    'rate_seeds': COUNT,
    'smallest_effect': number(above=0),
}
SHARED = ('train_cfg', 'randomness')  # what no variant has of its own
RATE = 'optim_wrapper.optimizer.lr'


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
    rates: tuple[float, ...] = ()
    rate_seeds: int = 1
    smallest_effect: float | None = None

    @property
    def name(self) -> str:
        return self.file.stem

    def preregistration(self) -> str:
        """Return a digest of what the study expects, and of how it is to be found out."""
        design = [self.length, self.seeds, self.rates, self.rate_seeds, self.smallest_effect]
        design += [[each.name, each.against, each.expected] for each in self.variants.values()]
        return hashlib.sha256(json.dumps(design).encode()).hexdigest()[:12]

    def base_config(self) -> Config:
        """Return the base, as long as the study says, and evaluated once, at the end.

        A schedule of the learning rate that lasts to the end of the training still does.

        Raises:
            InputError: it is missing or incomplete, a schedule would not begin, or it has no rate
                to choose, or its test pictures to choose on.
        """
        config = read_config(self.file.parent / self.base)
        require_sections(config, 'model', 'train_dataloader', 'val_dataloader', 'train_cfg')
        if self.rates:
            require_sections(config, 'test_dataloader', 'test_evaluator', 'optim_wrapper')
            if 'lr' not in config.optim_wrapper.get('optimizer', {}):
                raise InputError(f'{self.file}: rates: {config.filename} has no {RATE}')
            sets = [dict(first_dataset(config, split)) for split in ('val', 'test')]
            val, test = ({**each, 'pipeline': None, 'test_mode': None} for each in sets)
            if val == test:
                raise InputError(
                    f'{self.file}: rates: val_dataloader and test_dataloader of {config.filename} '
                    'have the same images; validate on others, such as a part of train (indices)'
                )
        loop = config.train_cfg
        length = self.length
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

    def runs(
        self, base: Config, folder: Path, chosen: dict[str, float | None] | None = None
    ) -> list['Run']:
        """Return runs, the first seed of every variant before the second of any.

        Args:
            base: the config without any variant.
            folder: of all runs.
            chosen: the rate of each variant, None for that of the base, for the runs of the table,
                VARIANT/seed_N. Without, for those that choose the rates, VARIANT/rate_R/seed_N.
        """
        configs = {}
        seeds = self.seeds
        if chosen is None:
            seeds = range(max(seeds) + 1, max(seeds) + 1 + self.rate_seeds)
            pairs = [(name, rate) for name in self.variants for rate in self.rates]
        else:
            pairs = chosen.items()
            if self.rates:
                base = copy.deepcopy(base)
                base.val_dataloader = base.test_dataloader
                base.val_evaluator = base.test_evaluator
        for name, rate in pairs:
            options = self.variants[name].options | ({RATE: rate} if rate else {})
            configs[name, rate] = with_options(base, options).to_dict()  # which needs no base
        runs = []
        for seed in seeds:
            for (name, rate), settings in configs.items():
                settings['randomness'] = {**settings.get('randomness', {}), 'seed': seed}
                lines = [f'"""Study {self.name}: {name}, seed {seed}."""\n']
                lines += [f'{k} = {pformat(v, sort_dicts=False)}' for k, v in settings.items()]
                part = f'rate_{rate:g}' if chosen is None else ''
                place = folder / name / part / f'seed_{seed}'
                text = '\n'.join([*lines, ''])
                runs.append(Run(name, seed, rate, place, text, self.metric, self.length))
        return runs

    def chosen_rates(self, runs: list['Run']) -> dict[str, float | None]:
        """Return the best rate of each variant whose runs at all rates are done."""
        if not self.rates:
            return dict.fromkeys(self.variants)
        chosen: dict[str, float | None] = {}
        for name in self.variants:
            values: dict[float, list] = {rate: [] for rate in self.rates}
            for run in runs:
                if run.variant == name:
                    values[run.rate].append(run.value())
            if not any(None in each for each in values.values()):
                chosen[name] = max(values, key=lambda rate: statistics.mean(values[rate]))
        return chosen


@dataclass(frozen=True)
class Run:
    """One training: a variant with a seed.

    Config and log lie beside its folder, the work dir, where mmengine writes nothing.
    """

    variant: str
    seed: int
    rate: float | None  # None: that of the base
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
        rate = f', rate {self.rate:g}' if self.rate else ''
        return f'{self.variant}{rate}, seed {self.seed}'

    def value(self) -> float | None:
        """Return the metric at the end, COCO's in percent; None if the run is not finished."""
        found = value_after(self.folder, self.metric, self.length)
        return found and found * (100 if self.metric.startswith('coco/') else 1)

    def require_same_settings(self) -> None:
        """Refuse to mix results of two configs in one table.

        Raises:
            InputError: the run was started with other settings.
        """
        begun = self.folder.exists() and self.config.is_file()
        if begun and self.config.read_text() != self.text:
            raise InputError(
                f'{self.folder}: was started with other settings ({self.config.name} in the '
                'same folder); remove it, or choose another --work-dir'
            )


def read_study(path: str | Path) -> Study:
    """Read a study's file.

    Raises:
        InputError: it is missing, cannot be executed, lacks a key or has an unknown one, a value
            cannot be meant, or a baseline is no variant.
    """
    config = read_config(path)
    content = {k: v for k, v in config.to_dict().items() if not k.startswith('_')}
    file = Path(config.filename)
    _require(content, STUDY | OPTIONAL, str(file), needed=STUDY)
    docstring = ast.get_docstring(ast.parse(file.read_text())) or file.stem
    variants = {variant.name: variant for variant in _variants(content, file)}
    kept = ('base', 'source', 'metric', 'length', 'seeds', *OPTIONAL)
    shared = {key: content[key] for key in kept if key in content}
    return Study(file, docstring.splitlines()[0], **shared, variants=variants)


def _variants(content: dict, file: Path) -> Iterator[Variant]:
    for name, entry in content['variants'].items():
        place = f'{file}: variants.{name}'
        if not re.fullmatch(r'[\w-]+', name):
            raise InputError(f'{place}: a name may contain only letters, digits, _ and -')
        if not isinstance(entry, dict):
            raise InputError(f'{place}: is {entry!r}, but it must be a dict')
        _require(entry, VARIANT, place)
        for key in entry.get('options', {}):
            if key.partition('.')[0] in SHARED:
                raise InputError(
                    f'{place}: {key}: must not be set here, because the study sets length and seeds'
                )
            if key == RATE and 'rates' in content:
                raise InputError(
                    f'{place}: {key}: must not be set here, because the study chooses it (rates)'
                )
        against = entry.get('against', content['baseline'])
        if against not in content['variants']:
            near = did_you_mean(against, list(content['variants']))
            raise InputError(f'{place}: is compared with {against!r}, which is not a variant{near}')
        paper = entry.get('paper')
        pair = paper if isinstance(paper, list | tuple) else (paper, None)
        yield Variant(name, against, entry.get('options', {}), *pair, entry.get('expected'))


def _require(given: dict, known: dict[str, Rule], place: str, needed: Iterable[str] = ()) -> None:
    """Refuse unknown keys, missing ones and values that they cannot have."""
    for key, value in given.items():
        if key not in known:
            hint = did_you_mean(key, list(known)) or f'; known: {", ".join(known)}'
            raise InputError(f'{place}: {key}: unknown key{hint}')
        if not known[key].fits(value):
            raise InputError(f'{place}: {key}={value!r}: must be {known[key].text}')
    if missing := [key for key in needed if key not in given]:
        raise InputError(f'{place}: has no {", ".join(missing)}')
