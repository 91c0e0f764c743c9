"""Write docs/models.md: every model's parameters, operations and published accuracy.

python tools/model_table.py
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from vitbackbones import create_model
from vitbackbones.analysis.complexity import measure
from vitbackbones.analysis.published import (
    BEYOND,
    CONVENTIONS,
    FAMILIES,
    RESULTS,
    TASKS,
    Family,
    Row,
    results_of,
)
from vitbackbones.catalog import config_files

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / 'docs' / 'models.md'
INTRODUCTION = """\
# Models

This page has the size, operations and published accuracies of every model that is built by name.
Made by `python tools/model_table.py`; a test compares it with the code.

Parameters and multiply-adds are those of the classifiers with 1000 classes on one 224 x 224 image,
counted by `vitbackbones.analysis.complexity`. Papers count differently, so next to what a paper
prints stands what we count *in its convention*, rounded to its digits; the difference is ours less
theirs. Where a paper does not say how it counts, the convention is the one that gives its numbers.
An empty field: not printed, or not known to us when this table was made. Accuracies are the
published ones (ImageNet-1k, top-1 in percent, 224 x 224; of the mean-shift feature transformer
after 100 / 300 epochs); none was measured here. The last tables have what was published on other
tasks and on other sets of ImageNet, by the config that is meant to reach it.

The models are `vitbackbones.create_model(...)` with the arguments in the first column. MSF-Swin,
Aug-PVT, Aug-T2T and the recursive mixer had no published code; SReT-ExT, SReT-B and SReT-108 are
readings of ours, as the paper does not determine them.
"""
HEADER = """\
| model | parameters, M | multiply-adds, G | parameters: ours / printed | FLOPs: ours / printed | \
printed in | top-1 | printed in | remark |
|---|---|---|---|---|---|---|---|---|"""
OTHER_HEADER = """\
## Other tasks

| config | published | of | printed in |
|---|---|---|---|"""

BEYOND_HEADER = """
## ImageNet beyond top-1

Top-1 and top-5 on the validation set; top-1 on the sets of `tools/test.py --dataset`.

| config | top-1 | top-5 | `real` | `v2-top` | `v2-matched` | `v2-threshold` | printed in |
|---|---|---|---|---|---|---|---|"""


def compare(ours: float, printed: str) -> str:
    """``ours`` at the digits of ``printed``, and the difference where there is one."""
    if not printed:
        return ''
    digits = len(printed.partition('.')[2])
    difference = round(round(ours, digits) - float(printed), digits)
    same = f'{ours:.{digits}f} / {printed}'
    return f'{same} ({difference:+.{digits}f})' if difference else same


def cells(row: Row, family: Family) -> list[str]:
    """The fields of one line of the table."""
    found = measure(lambda: create_model(row.name, **row.options))
    convention = CONVENTIONS[family.convention]
    return [
        label(row),
        f'{found.parameters / 1e6:.3f}',
        f'{found.macs / 1e9:.3f}',
        compare(convention.parameters(found) / 1e6, row.parameters),
        compare(convention.flops(found) / 1e9, row.flops),
        *texts(row, family),
    ]


def label(row: Row) -> str:
    return f'`{row.name!r}{spelled(row.options)}`'


def spelled(options: dict) -> str:
    """The options as arguments behind another one."""
    return ''.join(f', {key}={value!r}' for key, value in options.items())


def texts(row: Row, family: Family) -> list[str]:
    """Where the sizes are printed, the accuracy, where that is printed, and the remark."""
    found = results_of(row.name, row.options, family.tasks)
    sources = dict.fromkeys(result.source for result in found)
    return [row.source, ' / '.join(result.value for result in found), ' '.join(sources), row.note]


def other_tasks() -> Iterator[str]:
    """A line for every result of a config that the tables of the models do not show."""
    rows = [(row, family.tasks) for family in FAMILIES for row in family.rows]
    shown = [result for row, tasks in rows for result in results_of(row.name, row.options, tasks)]
    for result in sorted(RESULTS, key=lambda result: list(TASKS).index(result.task)):
        if result not in shown and result.config in config_files():
            metric = TASKS[result.task].metric
            yield f'| `{result.config}` | {result.value} | {metric} | {result.source} |'


def beyond() -> Iterator[str]:
    """A line for every model of which more than top-1 is printed."""
    for each in BEYOND:
        config, source, *numbers = vars(each).values()
        yield f'| `{config}` | {" | ".join(numbers)} | {source} |'


def table() -> Iterator[str]:
    """The lines of the file."""
    yield INTRODUCTION
    for family in FAMILIES:
        yield f'## {family.title}\n'
        yield f'Counted in the paper: {CONVENTIONS[family.convention].text}.\n'
        yield HEADER
        for row in family.rows:
            yield f'| {" | ".join(cells(row, family))} |'
        yield ''
    yield OTHER_HEADER
    yield from other_tasks()
    yield BEYOND_HEADER
    yield from beyond()
    yield ''


def main() -> None:
    TARGET.write_text('\n'.join(table()))


if __name__ == '__main__':
    ArgumentParser(description=__doc__).parse_args()
    main()
