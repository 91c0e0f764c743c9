"""What papers print: the results of training, the sizes of models, and ablations.

The numbers are in ``published/``, a CSV file for each class here. They are kept as printed, because
their digits say how exact they are. What is empty was not printed, or is not known to us.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from complexity import Complexity, Sizes

from vitbackbones.configuration.names import shown_path
from vitbackbones.utils.literals import read_rows

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
class Ablation:
    """One row of a table of ablations: one line on top of a model.

    The same line trains it (``--cfg-options``), builds it (``create_model``) and times it
    (``ours:NAME,...``).

    Attributes:
        paper, table: where it stands.
        row: what the paper calls it, or what it is.
        options: of the backbone, beside those of the model; a dot leads into a dict.
        published: the number, as printed.
        parameters: in millions, as printed; with a sign what is added to the table's ``plain``.
        count: all parameters with 1000 classes, where they are known exactly.
        note: what is needed to read it right; where the paper contradicts itself.
        model: for ``create_model``; the table's if empty.
        config: the name of the config that trains it; the model's on ImageNet if empty.
        run: settings of the run beside the backbone's, by their place in the config.
    """

    paper: str
    table: str
    row: str
    options: Options = field(default_factory=dict)
    published: str = ''
    parameters: str = ''
    count: int | None = None
    note: str = ''
    model: str = ''
    config: str = ''
    run: Options = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """One table of a paper.

    Attributes:
        paper: the name of its :class:`Paper`.
        place: where it stands there.
        title: what it varies.
        model: that the rows change, for ``create_model``.
        printed: number of rows in the paper.
        text: what a reader must know of all of them.
        plain: the model that parameters with a sign are added to.
        rows: those that we can express.
    """

    paper: str
    place: str
    title: str
    model: str
    printed: int
    text: str = ''
    plain: str = ''
    rows: Sequence[Ablation] = ()


@dataclass(frozen=True)
class Paper:
    """The tables of one paper.

    Attributes:
        name: in short.
        title: the paper.
        metric: what its numbers are.
        convention: how it counts parameters, a key of :data:`CONVENTIONS`.
        tables: of ablations.
    """

    name: str
    title: str
    metric: str
    convention: str
    tables: Sequence[Table] = ()


def spelled(options: Options) -> list[str]:
    """Return ``KEY=VALUE`` of each option, as a command line takes them."""
    return [f'{key}={value}'.replace(' ', '') for key, value in options.items()]


def model_spec(table: Table, row: Ablation) -> str:
    """Return the model of a row as ``vitbackbones benchmark`` names it."""
    return ','.join([f'ours:{row.model or table.model}', *spelled(row.options)])


def arguments(table: Table, row: Ablation) -> str:
    """Return what ``train`` is given to train a row."""
    config = row.config or f'cls_{row.model or table.model}_imagenet'
    changes = {f'model.backbone.{key}': value for key, value in row.options.items()} | row.run
    quoted = [f'"{text}"' if '[' in text else text for text in spelled(changes)]
    return ' '.join([shown_path(config), *['--cfg-options'][: len(quoted)], *quoted])


def walk(papers: Sequence[Paper]) -> Iterator[tuple[Paper, Table, Ablation]]:
    """Yield every row with its table and its paper."""
    for paper in papers:
        for table in paper.tables:
            for row in table.rows:
                yield paper, table, row


# ------------------------------------------------------------------------ rows


def _read(name: str, kind: type) -> list:
    return read_rows(Path(__file__).with_name('published') / f'{name}.csv', kind)


def _of(rows: list, **place: str) -> tuple:
    return tuple(row for row in rows if place.items() <= vars(row).items())


TASKS: dict[str, Task] = {task.name: task for task in _read('tasks', Task)}
RESULTS = [
    replace(result, config=TASKS[result.task].config.format(result.name))
    for result in _read('results', Result)
]
BEYOND: list[Beyond] = _read('beyond', Beyond)
_sizes = _read('sizes', Row)
FAMILIES = [replace(f, rows=_of(_sizes, family=f.title)) for f in _read('families', Family)]
_ablations = _read('ablations', Ablation)
_tables = [
    replace(table, rows=_of(_ablations, paper=table.paper, table=table.place))
    for table in _read('ablation_tables', Table)
]
PAPERS = [replace(paper, tables=_of(_tables, paper=paper.name)) for paper in _read('papers', Paper)]


def results_of(model: str, options: dict, tasks: tuple[str, ...]) -> list[Result]:
    """Return the results of one model in each of ``tasks``, in the order of the tasks."""
    found = [r for r in RESULTS if (r.model, r.options) == (model, options)]
    return [result for task in tasks for result in found if result.task == task]
