"""The ablations that papers print: a table, a row, what it changes, and the number.

A row is one line on top of a model: options of its backbone, a dot leading into a part. The same
line trains it (``--cfg-options``), builds it (``create_model``) and times it (``ours:NAME,...``).
``docs/ablations.md`` is written from this list and ``tests/test_ablations.py`` walks it. Numbers
are kept as printed. What is empty was not printed, or not at hand when this list was made.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ....catalog import shown_path

Options = dict[str, object]


@dataclass(frozen=True)
class Ablation:
    """One row of a table of ablations.

    Attributes:
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
        place: where it stands.
        title: what it varies.
        model: that the rows change, for ``create_model``.
        printed: number of rows in the paper.
        rows: those listed here.
        text: what a reader must know of all of them.
        plain: the model that parameters with a sign are added to.
    """

    place: str
    title: str
    model: str
    printed: int
    rows: tuple[Ablation, ...]
    text: str = ''
    plain: str = ''


@dataclass(frozen=True)
class Paper:
    """The tables of one paper.

    Attributes:
        title: the paper.
        metric: what its numbers are.
        convention: how it counts parameters, a key of :data:`CONVENTIONS`.
        tables: of ablations.
    """

    title: str
    metric: str
    convention: str
    tables: tuple[Table, ...]


def spelled(options: Options) -> list[str]:
    """Return ``KEY=VALUE`` of each option, as a command line takes them."""
    return [f'{key}={value}'.replace(' ', '') for key, value in options.items()]


def model_spec(table: Table, row: Ablation) -> str:
    """Return the model of a row as ``tools/benchmark.py`` names it."""
    return ','.join([f'ours:{row.model or table.model}', *spelled(row.options)])


def arguments(table: Table, row: Ablation) -> str:
    """Return what ``tools/train.py`` is given to train a row."""
    config = row.config or f'cls_{row.model or table.model}_imagenet'
    changes = {f'model.backbone.{key}': value for key, value in row.options.items()} | row.run
    quoted = [f'"{text}"' if '[' in text else text for text in spelled(changes)]
    return ' '.join([shown_path(config), *['--cfg-options'][: len(quoted)], *quoted])


def walk(papers: tuple[Paper, ...]) -> Iterator[tuple[Paper, Table, Ablation]]:
    """Yield every row with its table and its paper."""
    for paper in papers:
        for table in paper.tables:
            for row in table.rows:
                yield paper, table, row
