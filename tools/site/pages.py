"""What the code says on nine pages of docs/; a page itself holds the prose above the mark.

python tools/site/pages.py               # writes the tables of six pages of docs/, and
                                         # metafile.yml, which OpenMMLab's tools read
python tools/site/pages.py --notebook    # runs the first tutorial as a notebook and writes it

These six are read on GitHub. The other pages get their tables when the site is built.
"""

import os
import sys
from argparse import SUPPRESS, Action, ArgumentParser
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

sys.path.append(str(Path(__file__).resolve().parents[2]))  # an installed package comes first

import metafile
from complexity import Complexity, Sizes, count, measure
from papers import (
    BEYOND,
    CONVENTIONS,
    FAMILIES,
    PAPERS,
    RESULTS,
    TASKS,
    Family,
    Paper,
    Printed,
    Row,
    arguments,
    groups,
    results_of,
)
from recipes import recipes

from benchmarks.model_sources import SOURCES, build_model
from vitbackbones import create_model
from vitbackbones.commands.main import verb_parser
from vitbackbones.configuration.names import config_files
from vitbackbones.openmmlab.patches import ALL, PATCHES
from vitbackbones.utils.verbs import VERBS
from vitbackbones.weights import LEFT_RANDOM, NEVER_PUBLISHED, PUBLISHED, Published
from vitbackbones.weights.table import packaged

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / 'docs'
MARK = '<!-- below: made by tools/site/pages.py -->\n'


def table(*columns: str) -> str:
    """Return the two lines that begin a table."""
    return f'| {" | ".join(columns)} |\n|{"---|" * len(columns)}'


def line(*cells: object) -> str:
    """Return a line of a table."""
    return f'| {" | ".join(map(str, cells))} |'


# ------------------------------------------------------------------------ models


def models() -> Iterator[str]:
    """Yield the lines about every model: parameters, operations and published accuracy."""
    for family in FAMILIES:
        yield f'## {family.title}\n'
        yield table('model', 'parameters, M', 'multiply-adds, G', 'top-1')
        yield from (line(*model_cells(row, family)) for row in family.rows)
        yield ''


def model_cells(row: Row, family: Family) -> list[str]:
    """Return the cells of a model, counted now."""
    found = sizes_of(row)
    results = results_of(row.name, row.options, family.tasks)
    accuracy = ' / '.join(result.value for result in results)
    return [label(row), f'{found.parameters / 1e6:.3f}', f'{found.macs / 1e9:.3f}', accuracy]


def sizes_of(row: Row) -> Complexity:
    """Return the parameters and operations of a model."""
    return measure(lambda: create_model(row.name, **row.options))


def printed_models() -> Iterator[str]:
    """Yield the lines about what papers print for every model, next to what we count."""
    for family in FAMILIES:
        yield f'## {family.title}\n'
        yield f'Counted in the paper: {CONVENTIONS[family.convention].text}.\n'
        sizes = ('parameters: ours / printed', 'FLOPs: ours / printed', 'printed in')
        yield table('model', *sizes, 'top-1', 'printed in', 'remark')
        yield from (line(*printed_cells(row, family)) for row in family.rows)
        yield ''
    yield '## Other tasks\n'
    yield table('config', 'published', 'of', 'printed in')
    yield from other_tasks()
    yield '\n## ImageNet beyond top-1\n'
    yield 'Top-1 and top-5 on the validation set; top-1 on the sets of `test --dataset`.\n'
    sets = ('`real`', '`v2-top`', '`v2-matched`', '`v2-threshold`')
    yield table('config', 'top-1', 'top-5', *sets, 'printed in')
    for each in BEYOND:
        config, source, *numbers = vars(each).values()
        yield line(f'`{config}`', *numbers, source)


def printed_cells(row: Row, family: Family) -> list[str]:
    """Return the cells of a model as printed, next to ours in the paper's convention."""
    convention = CONVENTIONS[family.convention]
    parameters = flops = ''
    if row.parameters or row.flops:
        found = sizes_of(row)
        parameters = compare(convention.parameters(found) / 1e6, row.parameters)
        flops = compare(convention.flops(found) / 1e9, row.flops)
    return [label(row), parameters, flops, *published(row, family)]


def compare(ours: float, printed: str) -> str:
    """Return ``ours`` at the digits of ``printed``, and the difference where there is one."""
    if not printed:
        return ''
    digits = len(printed.partition('.')[2])
    difference = round(round(ours, digits) - float(printed), digits)
    same = f'{ours:.{digits}f} / {printed}'
    return f'{same} ({difference:+.{digits}f})' if difference else same


def label(row: Row) -> str:
    options = ''.join(f', {key}={value!r}' for key, value in row.options.items())
    return f'`{row.name!r}{options}`'


def published(row: Row, family: Family) -> list[str]:
    """Return where the sizes are printed, the accuracy, where that is printed, and the remark."""
    found = results_of(row.name, row.options, family.tasks)
    sources = dict.fromkeys(result.source for result in found)
    return [row.source, ' / '.join(result.value for result in found), '; '.join(sources), row.note]


def other_tasks() -> Iterator[str]:
    """Yield a line for every result of a config that the tables of the models do not show."""
    rows = [(row, family.tasks) for family in FAMILIES for row in family.rows]
    shown = [result for row, tasks in rows for result in results_of(row.name, row.options, tasks)]
    for result in sorted(RESULTS, key=lambda result: list(TASKS).index(result.task)):
        if result not in shown and result.config in config_files():
            metric = TASKS[result.task].metric
            yield line(f'`{result.config}`', result.value, metric, result.source)


# ------------------------------------------------------------------------ ablations


def ablations() -> Iterator[str]:
    """Yield the lines about the papers' ablations, and the command that makes each of them."""
    for paper in PAPERS:
        yield from paper_head(paper)
        for part in paper.tables:
            yield f'### {part.place}: {part.title}\n'
            if part.text:
                yield fill(part.text, 130, break_on_hyphens=False) + '\n'
            yield from printed_table(paper, part.rows, part.plain)


def printed() -> Iterator[str]:
    """Yield the lines about all other numbers that the papers print."""
    for paper in PAPERS:
        yield from paper_head(paper)
        for rows in groups(paper.rows, 'place'):
            yield f'### {rows[0].place}\n'
            yield from printed_table(paper, rows)


def paper_head(paper: Paper) -> Iterator[str]:
    yield f'## {paper.title}\n'
    yield f'Counted in the paper: {CONVENTIONS[paper.convention].text}.\n'


def printed_table(paper: Paper, rows: Sequence[Printed], plain: str = '') -> Iterator[str]:
    """Yield a table with a line for each row of the paper and a column for each of its numbers."""
    metrics = dict.fromkeys((row.metric, row.dataset) for row in rows)
    heads = ['row', 'trained, or built, as']
    many = len({row.dataset for row in rows}) > 1
    heads += [f'{metric}, {where}' if many and where else metric for metric, where in metrics]
    sized = any(row.model.startswith('ours:') for row in rows)
    sizes = {
        'parameters, M': sized,
        'parameters: ours / printed': any(row.parameters for row in rows),
        'FLOPs, G: ours / printed': any(row.flops for row in rows),
    }
    yield table(*heads, *(head for head, shown in sizes.items() if shown), 'remark')
    for same in groups(rows, 'row'):
        values = {(row.metric, row.dataset): row.value for row in same}
        cells = [same[0].row.replace('][', ']\\['), how(same)]  # Markdown takes it for a link
        cells += [values.get(metric, '') for metric in metrics]
        own = [exact_size(same[0]), *printed_sizes(paper, same[0], plain)]
        cells += [cell for cell, shown in zip(own, sizes.values(), strict=True) if shown]
        yield line(*cells, '; '.join(dict.fromkeys(row.note for row in same if row.note)))
    yield ''


def how(rows: Sequence[Printed]) -> str:
    """Return what ``train`` or ``benchmarks.compare`` is given for a line of a table."""
    found = [arguments(row) if row.config else row.model for row in rows]
    return '<br>'.join(f'`{text}`' for text in dict.fromkeys(found) if text)


def exact_size(row: Printed) -> str:
    if not row.model.startswith('ours:'):
        return ''
    return f'{counted(row.model, row.pixels).parameters / 1e6:.3f}'


def printed_sizes(paper: Paper, row: Printed, plain: str = '') -> list[str]:
    """Return our parameters and FLOPs, as the paper counts them, beside the printed ones."""
    if not row.model.startswith('ours:'):
        return [row.parameters, row.flops]
    convention, cells = CONVENTIONS[paper.convention], []
    kinds = [(row.parameters, counted, convention.parameters, 1e6)]
    kinds += [(row.flops, worked, convention.flops, 1e9)]
    for text, measured, count_of, unit in kinds:
        found = count_of(measured(row.model, row.pixels)) if text else 0
        if text.startswith('+'):
            found -= count_of(measured(f'ours:{plain}', row.pixels))
        cells.append(compare(found / unit, text))
    return cells


@cache
def counted(spec: str, pixels: int = 224) -> Sizes:
    """Return the parameters of a model for square images, by its name in ``benchmarks.compare``."""
    return count(partial(build_model, spec, (pixels, pixels), SOURCES))


@cache
def worked(spec: str, pixels: int) -> Complexity:
    """Return the operations of a model on a square image, likewise."""
    return measure(partial(build_model, spec, (pixels, pixels), SOURCES), (pixels, pixels))


# ------------------------------------------------------------------------ weights


def weights() -> Iterator[str]:
    """Yield the lines about what was published for which model."""
    yield table('name', 'fills', 'top-1', 'image', 'license')
    for name, row in PUBLISHED.items():
        image = f'{row.input_size[1]} {row.interpolation}'
        yield line(f'`{name}`', other_model(name, row), row.top1 or '', image, row.license)
    yield '\n## Never published\n'
    yield 'Start these models from the nearest published weights.'
    yield 'The tensors in `allow_missing` stay random.\n'
    yield table('name', 'nearest published weights', '`allow_missing`')
    for name, nearest in NEVER_PUBLISHED.items():
        if nearest:
            missing = ', '.join(f'`{each}`' for each in LEFT_RANDOM.get(name, ()))
            yield line(f'`{name}`', f'`{nearest}`', missing)
    alone = [f'`{name}`' for name, nearest in NEVER_PUBLISHED.items() if not nearest]
    yield '\nThese models have no such start:\n'
    yield fill(f'{", ".join(alone)}.', 130, break_on_hyphens=False)


def weight_files() -> Iterator[str]:
    """Yield the lines about the files of published weights and how images are prepared."""
    yield table('name', 'crop', 'mean, deviation', 'hash', 'URL, copy', 'source')
    yield from (line(*file_cells(name, row)) for name, row in PUBLISHED.items())


def other_model(name: str, row: Published) -> str:
    """Return the model that the weights fill, where it has another name."""
    return '' if row.model == name else f'`{row.model}`'


def file_cells(name: str, row: Published) -> list[object]:
    colors = 'all 0.5' if set(row.mean + row.std) == {0.5} else "ImageNet's"
    hub = f'`hf-hub:{row.hf_hub}`' if row.hf_hub else ''
    address = f'`{row.url}`' if packaged(name) else f'<{row.url}>'
    places = [place for place in (row.url and address, hub) if place]
    where = '<br>'.join(places) or 'with a browser'
    return [f'`{name}`', row.crop_pct, colors, row.sha256 or '', where, row.source]


# ------------------------------------------------------------------------ patches, commands


def compatibility() -> Iterator[str]:
    """Yield the lines about the patches of other packages, from the table that applies them."""
    for heading, entries in groupby(PATCHES, attrgetter('part')):
        yield f'## {heading}\n'
        yield table('target', 'what is wrong', 'what is done', 'releases', 'when')
        for patch in entries:
            only = '' if patch.releases == ALL else ' only'
            target = patch.target.replace(':', '.')
            yield line(
                f'`{target}`', patch.wrong, patch.done, f'{patch.releases}{only}', patch.when
            )
        yield ''


def commands() -> Iterator[str]:
    """Yield the lines about every verb with its arguments, from the parsers that read them."""
    for verb, entry in VERBS.items():
        parser, prog = verb_parser(verb), f'vitbackbones {verb}'
        yield f'## {verb}\n\n{entry.help[0].upper()}{entry.help[1:]}.\n'
        yield table('argument', 'what it is')
        for action in parser._actions:
            if action.dest not in ('help', 'local_rank') and action.help != SUPPRESS:
                yield line(f'`{argument(action)}`', meaning(action, prog))
        yield f'\n```text\n{(parser.epilog % {"prog": prog}).rstrip()}\n```\n'


def argument(action: Action) -> str:
    names = ', '.join(action.option_strings) or action.metavar or action.dest
    if not action.option_strings or action.nargs == 0:
        return names
    value = ' '.join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar
    value = value or (action.dest.upper() if not action.choices else '')
    return f'{names} {value}'.rstrip()


def meaning(action: Action, prog: str) -> str:
    text = (action.help % {**vars(action), 'prog': prog}).replace('<', '&lt;')
    known = ', '.join(f'`{choice}`' for choice in action.choices or ())
    return f'{text}; one of {known}' if known else text


# ------------------------------------------------------------------------ writing

COMMITTED = {
    'models': models,
    'weights': weights,
    'lab/models': printed_models,
    'lab/weights': weight_files,
    'lab/ablations': ablations,
    'lab/printed': printed,
}
ON_THE_SITE = {'recipes': recipes, 'compatibility': compatibility, 'commands': commands}


def with_tables(prose: str, lines: Iterator[str]) -> str:
    """Return a page, of which all behind the mark is made of ``lines``."""
    return '\n'.join([prose.partition(MARK)[0] + MARK, *lines]).rstrip('\n') + '\n'


def site_page(name: str, text: str) -> str:
    """Return a page of the site: ``text`` itself unless it is one that gets its tables there."""
    return with_tables(text, ON_THE_SITE[name]()) if name in ON_THE_SITE else text


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument('--notebook', action='store_true', help='run and write the notebook')
    if parser.parse_args().notebook:
        write_notebook()
        return
    for name, lines in COMMITTED.items():
        file = DOCS / f'{name}.md'
        file.write_text(with_tables(file.read_text(), lines()))
    metafile.write()


# ------------------------------------------------------------------------ notebook

TUTORIAL = DOCS / 'tutorials' / 'first_detector.md'
HEADER = """\
---
jupyter:
  kernelspec: {name: python3, display_name: Python 3, language: python}
---
"""
LINES = 12  # of what a cell prints; a training prints hundreds
PROGRAM = '#!/bin/sh\nexec {python} {arguments} "$@"\n'


def notebook():
    """Return the tutorial as a notebook without outputs; blocks of bash are cells of it, too."""
    import jupytext

    made = jupytext.reads(HEADER + TUTORIAL.read_text(), fmt='md')
    for number, cell in enumerate(made.cells):
        cell.id = f'cell-{number}'  # the same each time
        cell.metadata.clear()
    return made


def write_notebook() -> None:
    """Run all cells with this interpreter and this clone; the end of what each prints stays."""
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor

    made = notebook()
    with TemporaryDirectory() as place:
        programs, folder = Path(place, 'bin'), Path(place, 'folder')
        programs.mkdir()
        folder.mkdir()
        for name, given in {'vitbackbones': '-m vitbackbones', 'python': ''}.items():
            text = PROGRAM.format(python=sys.executable, arguments=given)
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        os.environ.update(PATH=f'{programs}:{os.environ["PATH"]}', PYTHONPATH=str(ROOT))
        ExecutePreprocessor(timeout=3600).preprocess(made, {'metadata': {'path': str(folder)}})
        for cell in made.cells:
            if cell.cell_type == 'code':
                text = ''.join(output.text for output in cell.outputs)
                text = (
                    text.replace(f'{folder}/', '').replace(f'{ROOT}/', '').replace(str(ROOT), '.')
                )
                lines = [row.rpartition('\r')[2] for row in text.splitlines()]
                kept = lines if len(lines) <= LINES else ['...', *lines[-LINES:]]
                text = ''.join(f'{row}\n' for row in kept)
                cell.outputs = [nbformat.v4.new_output('stream', text=text)]
                cell.metadata.clear()
    nbformat.write(made, TUTORIAL.with_suffix('.ipynb'))


if __name__ == '__main__':
    main()
