"""Write docs/ablations.md: the papers' ablations, and the line that makes each of them.

python tools/ablation_table.py
"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from textwrap import fill

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from model_table import compare

from vitbackbones.analysis.complexity import Sizes, count
from vitbackbones.analysis.published import CONVENTIONS
from vitbackbones.analysis.published.ablations import (
    PAPERS,
    Ablation,
    Paper,
    Table,
    arguments,
    model_spec,
)
from vitbackbones.benchmarking.model_sources import SOURCES, build_model

TARGET = Path(__file__).resolve().parents[1] / 'docs' / 'ablations.md'
WIDTH = 130  # of prose
INTRODUCTION = """\
# Ablations

This page has the rows of the papers' ablation tables, each as one line on top of a config.
Made by `python tools/ablation_table.py`; `tests/test_ablations.py` builds every row and compares
this page with the code.

A row of a paper's table is one line on top of a model. The lines in the tables below are what
`tools/train.py` is given:

```bash
python tools/train.py configs/imagenet/cls_deit_s.py --cfg-options model.backbone.arch.depth=24
```

The same options, what stands behind `model.backbone.`, build the model in Python and time it beside
its host. A dot leads into a part; a part without a `type` is the host's own:

```python
from vitbackbones import create_model

model = create_model('deit_s', arch=dict(base='s', depth=24))
```

```bash
python tools/benchmark.py ours:deit_s ours:deit_s,arch.depth=24
```

They work in every config of the same backbone, for detection and segmentation too. To train
variants from several seeds and learn which differences exceed the noise, list them in a study for
`tools/compare.py`.

Published accuracies are the papers'; none was measured here. Parameters are those with 1000
classes; next to what a paper prints stands what we count *in its convention*, rounded to its
digits. The difference is ours less theirs; a size with a sign is what the row adds to its host. An
empty field: not printed, or not known to us when this table was made.
"""
HEADER = """\
| row | `tools/train.py` | published | parameters, M | ours / printed | remark |
|---|---|---|---|---|---|"""


@cache
def counted(spec: str) -> Sizes:
    """The parameters of a model, by its name in the benchmark."""
    return count(partial(build_model, spec, (224, 224), SOURCES))


def in_convention(paper: Paper, spec: str) -> float:
    """The parameters of a model as a paper counts them, in millions."""
    return CONVENTIONS[paper.convention].parameters(counted(spec)) / 1e6


def size(paper: Paper, table: Table, row: Ablation) -> str:
    """Our parameters at the digits of the printed ones, and these."""
    added = row.parameters.startswith('+')
    base = in_convention(paper, f'ours:{table.plain}') if added else 0
    return compare(in_convention(paper, model_spec(table, row)) - base, row.parameters)


def cells(paper: Paper, table: Table, row: Ablation) -> list[str]:
    """The fields of one line of a table."""
    return [
        row.row.replace('][', ']\\['),  # which Markdown takes for a link
        f'`{arguments(table, row)}`',
        row.published,
        f'{counted(model_spec(table, row)).parameters / 1e6:.3f}',
        size(paper, table, row),
        row.note,
    ]


def section(paper: Paper, table: Table) -> Iterator[str]:
    """The lines of one table of a paper."""
    yield f'### {table.place}: {table.title}\n'
    if table.text:
        yield fill(table.text, WIDTH, break_on_hyphens=False) + '\n'
    if len(table.rows) < table.printed:
        yield f'Listed are {len(table.rows)} of {table.printed} rows.\n'
    if table.rows:
        yield HEADER
        yield from (f'| {" | ".join(cells(paper, table, row))} |' for row in table.rows)
        yield ''


def text() -> Iterator[str]:
    """The lines of the file."""
    yield INTRODUCTION
    for paper in PAPERS:
        yield f'## {paper.title}\n'
        counted_as = CONVENTIONS[paper.convention].text.partition(';')[0]
        yield f'Published: {paper.metric}. Counted in the paper: {counted_as}.\n'
        for table in paper.tables:
            yield from section(paper, table)


def main() -> None:
    TARGET.write_text('\n'.join(text()))


if __name__ == '__main__':
    ArgumentParser(description=__doc__).parse_args()
    main()
