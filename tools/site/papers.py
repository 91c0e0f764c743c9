"""What papers print: the results of training, the sizes of models, and ablations.

The numbers are in ``published/``, a CSV file for each class here. ``sheet.csv`` has every number of
the four papers that this project is about; ``results``, ``sizes`` and ``beyond`` have those of
other sources, and read the sheet's. They are kept as printed, because their digits say how exact
they are. What is empty was not printed, or is not known to us.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from complexity import Complexity, Sizes

from vitbackbones.configuration.names import shown_path
from vitbackbones.errors import InputError
from vitbackbones.utils.literals import read_rows, read_value, split

Options = dict[str, object]


@dataclass(frozen=True)
class Task:
    """What a published result was measured on.

    Attributes:
        name: of the task.
        config: the name of the config for a model in this task, ``{}`` being the model; empty if
            there is none.
        metric: what the number is.
    """

    name: str
    config: str = ''
    metric: str = ''


@dataclass(frozen=True)
class Result:
    """One published result.

    Attributes:
        model: for ``create_model``, or a network of mmdet or mmpretrain, such as ``r50``.
        task: the name of a :class:`Task`.
        value: as printed; of segmentation one scale / several with flips where both are.
        source: the paper, and where in it.
        options: for ``create_model``.
        variant: what the name of the config adds to the model's.
        config: the name of the config that is meant to give this result; empty if there is none.
    """

    model: str
    task: str
    value: str
    source: str
    options: Options = field(default_factory=dict)
    variant: str = ''
    config: str = ''

    @property
    def name(self) -> str:
        """The model as names of configs have it."""
        return f'{self.model}_{self.variant}' if self.variant else self.model


@dataclass(frozen=True)
class Beyond:
    """Results of one classifier in percent, as printed; empty if not printed.

    Attributes:
        config: the name of the config.
        source: the paper, and where in it.
        top1, top5: on ImageNet's validation set.
        real, v2_top, v2_matched, v2_threshold: top-1 on the sets of ``test --dataset``.
    """

    config: str
    source: str
    top1: str
    top5: str = ''
    real: str = ''
    v2_top: str = ''
    v2_matched: str = ''
    v2_threshold: str = ''


# ------------------------------------------------------------------------ sizes


@dataclass(frozen=True)
class Convention:
    """How a paper counts.

    Attributes:
        text: for readers.
        parameters, flops: the counted numbers of a model's :class:`Sizes` and :class:`Complexity`.
    """

    text: str
    parameters: Callable[[Sizes], float]
    flops: Callable[[Complexity], float]


CONVENTIONS = {
    'macs': Convention('all parameters; multiply-adds', lambda c: c.parameters, lambda c: c.macs),
    'fvcore': Convention(
        'all parameters; multiply-adds, 5 per element of a LayerNorm, 2 of a BatchNorm (fvcore)',
        lambda c: c.parameters,
        lambda c: c.macs + c.norms,
    ),
    'aug': Convention(
        'parameters without the biases of augmented paths; multiply-adds, paths through the FFT',
        lambda c: c.parameters - c.path_biases,
        lambda c: c.macs,
    ),
    'msf': Convention(
        'weights of linear and convolution layers alone; twice the multiply-adds',
        lambda c: c.weights,
        lambda c: 2 * c.macs,
    ),
}


@dataclass(frozen=True)
class Row:
    """The size of one model as published.

    Attributes:
        family: its title.
        name: for ``create_model``.
        parameters: in millions, as printed.
        flops: in 1e9, at 224 x 224, as printed.
        source: where they are printed.
        note: what the numbers need to be read right; why ours differ.
        options: for ``create_model``.
    """

    family: str
    name: str
    parameters: str = ''
    flops: str = ''
    source: str = ''
    note: str = ''
    options: Options = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """Models that one paper counts in one way.

    Attributes:
        title: for readers.
        convention: a key of :data:`CONVENTIONS`.
        tasks: of the accuracies that belong to them; names of :class:`Task`.
        rows: the models.
    """

    title: str
    convention: str
    tasks: tuple[str, ...]
    rows: Sequence[Row] = ()


# ------------------------------------------------------------------------ ablations


@dataclass(frozen=True)
class Printed:
    """One number that a paper prints: a row of the sheet.

    The same model trains by its config (``--cfg-options``), builds (``create_model``) and is timed
    (``benchmarks.compare``).

    Attributes:
        paper, place: where it stands; a place that ends with "settings" has other things than
            results.
        row: what the paper calls it, or what it is.
        dataset, metric: what was measured, and on what.
        value: as printed; empty where it is in a curve alone.
        parameters: in millions, as printed; with a sign what is added to the table's ``plain``.
        flops: in 1e9, likewise.
        pixels: side of the images that they are for.
        model: as ``benchmarks.compare`` names it; empty for others' networks.
        config: the name of the config that trains it, if there is one.
        run: settings of the run beside the backbone's, ``KEY=VALUE``.
        count: all parameters with 1000 classes, where they are known exactly.
        note: what is needed to read it right; where the paper contradicts itself.
    """

    paper: str
    place: str
    row: str
    metric: str
    dataset: str = ''
    value: str = ''
    parameters: str = ''
    flops: str = ''
    pixels: int = 224
    model: str = ''
    config: str = ''
    run: str = ''
    count: int | None = None
    note: str = ''

    @property
    def options(self) -> list[str]:
        """``KEY=VALUE`` of the backbone, beside what its name says."""
        return list(split(self.model))[1:]

    @property
    def source(self) -> str:
        return CITED.get(self.paper, '{}, {}').format(self.paper, self.place)

    def refuse_words(self, place: str) -> None:
        """Refuse what is no number where one must be.

        Raises:
            InputError: it is one; ``place`` is where it stands.
        """
        numbers = {'parameters': self.parameters, 'flops': self.flops}
        if not self.place.endswith('settings'):
            numbers['value'] = self.value
        for column, text in numbers.items():
            if not re.fullmatch(NUMBER, text):
                raise InputError(f'{place}: {column}: {text!r} is not a number, as printed')


NUMBER = r'([+-]?\d+(\.\d+)?(-\d+)?)?'  # '80.9', '+0.07', '13-15' or nothing
CITED = {'TNT': '{}, {} of its first version on arXiv'}


@dataclass(frozen=True)
class Table:
    """One table of a paper.

    Attributes:
        paper: the name of its :class:`Paper`.
        place: where it stands there.
        title: what it varies.
        text: what a reader must know of all of them.
        plain: the model that parameters with a sign are added to.
        rows: its numbers.
    """

    paper: str
    place: str
    title: str
    text: str = ''
    plain: str = ''
    rows: Sequence[Printed] = ()


@dataclass(frozen=True)
class Paper:
    """The tables of one paper.

    Attributes:
        name: in short.
        title: the paper.
        convention: how it counts parameters, a key of :data:`CONVENTIONS`.
        tables: of ablations.
        rows: its other numbers.
    """

    name: str
    title: str
    convention: str
    tables: Sequence[Table] = ()
    rows: Sequence[Printed] = ()


def spelled(options: Options) -> list[str]:
    """Return ``KEY=VALUE`` of each option, as a command line takes them."""
    return [f'{key}={value}'.replace(' ', '') for key, value in options.items()]


def arguments(row: Printed) -> str:
    """Return what ``train`` is given to train a row, which has a config."""
    changes = [*(f'model.backbone.{option}' for option in row.options), *row.run.split()]
    quoted = [f'"{text}"' if '[' in text else text for text in changes]
    return ' '.join([shown_path(row.config), *['--cfg-options'][: len(quoted)], *quoted])


def groups(rows: Sequence[Printed], *keys: str) -> list[list[Printed]]:
    """Return the numbers that follow each other and have the same ``keys``: a line of a table."""
    return [list(same) for _, same in groupby(rows, attrgetter(*keys))]


# ------------------------------------------------------------------------ rows


def _read(name: str, kind: type) -> list:
    return read_rows(Path(__file__).with_name('published') / f'{name}.csv', kind)


def _of(rows: list, **place: str) -> tuple:
    return tuple(row for row in rows if place.items() <= vars(row).items())


SHEET: list[Printed] = _read('sheet', Printed)
for _line, _row in enumerate(SHEET, 2):
    _row.refuse_words(f'published/sheet.csv, row {_line}')

TASKS: dict[str, Task] = {task.name: task for task in _read('tasks', Task)}
RESULTS = [
    replace(result, config=TASKS[result.task].config.format(result.name))
    for result in _read('results', Result)
]
BEYOND: list[Beyond] = _read('beyond', Beyond)
_tables = [
    replace(table, rows=_of(SHEET, paper=table.paper, place=table.place))
    for table in _read('ablation_tables', Table)
]
_in_tables = {row for table in _tables for row in table.rows}
_others = [row for row in SHEET if row not in _in_tables]
PAPERS = [
    replace(p, tables=_of(_tables, paper=p.name), rows=_of(_others, paper=p.name))
    for p in _read('papers', Paper)
]


def _result(rows: Sequence[Printed]) -> Result:
    """Return one result of a config, or of a model in a recipe that none has."""
    row = rows[0]
    fits = [t for t in TASKS.values() if re.fullmatch(t.config.format('(.+)'), row.config)]
    task = max(fits, key=lambda task: len(task.config)) if row.config else TASKS['imagenet_other']
    name = row.model.partition(':')[2].partition(',')[0]
    name = name or re.fullmatch(task.config.format('(.+)'), row.config)[1]
    options = {k: read_value(v) for k, _, v in (option.partition('=') for option in row.options)}
    values = ' '.join(row.value for row in rows)
    return Result(name, task.name, values, row.source, options, config=row.config)


# of SReT's Table 6 and the top-5 of TNT's Table 4
SETS = {('ImageNet-1k val', 'top-1 %'): 'top1', ('ImageNet-1k val', 'top-5 %'): 'top5'}
SETS[('ImageNet ReaL', 'top-1 %')] = 'real'
SETS[('ImageNetV2 top-images', 'top-1 %')] = 'v2_top'
SETS[('ImageNetV2 matched-frequency', 'top-1 %')] = 'v2_matched'
SETS[('ImageNetV2 threshold-0.7', 'top-1 %')] = 'v2_threshold'
METRICS = ('top-1 %', 'mIoU %', 'AP')  # of results; what these begin with


def _beyond() -> Iterator[Beyond]:
    """Yield what a table has of a config on several sets, or in two metrics."""
    for rows in groups(_others, 'paper', 'place', 'row', 'config'):
        known = {SETS[row.dataset, row.metric]: row.value for row in rows if _on_imagenet(row)}
        if rows[0].config and len(known) > 1:
            yield Beyond(rows[0].config, rows[0].source, **known)


def _results() -> Iterator[Result]:
    """Yield the results of each config, and of models in recipes that no config has."""
    own_first = sorted(_others, key=lambda row: row.note.startswith('third party'))
    for rows in groups(own_first, 'paper', 'place', 'row', 'dataset', 'config'):
        named = rows[0].config or (rows[0].model.startswith('ours:') and rows[0].pixels == 224)
        kept = [row for row in rows if row.value and row.metric.startswith(METRICS) and not row.run]
        if named and kept and SETS.get((kept[0].dataset, kept[0].metric), 'top1') == 'top1':
            yield _result(kept)


def _on_imagenet(row: Printed) -> bool:
    return (row.dataset, row.metric) in SETS


BEYOND += _beyond()
for _found in _results():  # a number that is printed in several places has the first of them
    if (_found.config, _found.value) not in {(r.config, r.value) for r in RESULTS}:
        RESULTS.append(_found)

_printed = {(row.source, row.model): row for row in reversed(SHEET) if row.parameters}


def _filled(row: Row) -> Row:
    """Return the size of a model with the sheet's numbers, where its source is there."""
    found = _printed.get((row.source, ','.join([f'ours:{row.name}', *spelled(row.options)])))
    if not found:
        return row
    note = row.note or found.note
    return replace(row, parameters=found.parameters, flops=found.flops, note=note)


_sizes = [*map(_filled, _read('sizes', Row))]
FAMILIES = [replace(f, rows=_of(_sizes, family=f.title)) for f in _read('families', Family)]


def results_of(model: str, options: dict, tasks: tuple[str, ...]) -> list[Result]:
    """Return the results of one model in each of ``tasks``, in the order of the tasks."""
    found = [r for r in RESULTS if (r.model, r.options) == (model, options)]
    return [result for task in tasks for result in found if result.task == task]
