"""Which configs of the OpenMMLab toolboxes are understood and built here?

    python -m benchmarks.openmmlab_configs --out docs/lab/openmmlab_configs.csv
    python -m benchmarks.openmmlab_configs --out docs/lab/openmmlab_configs.csv --run 400
    python -m benchmarks.openmmlab_configs --summary docs/lab/openmmlab_configs.md

Each config that the installed mmdet, mmseg and mmpretrain ship is read, checked as a training
checks it, and its model is built without weights, as ``vitbackbones doctor CONFIG`` does. A config
is a row of a CSV file; a row that is there is not measured again. ``--run`` takes models that are
built, in a random order that is always the same, and runs an image through each.
"""

import csv
import random
import sys
import warnings
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from mmengine.config import Config
from mmengine.logging import MMLogger

import vitbackbones  # noqa: F401 - patches the toolboxes
from vitbackbones.commands.ending import run
from vitbackbones.configuration.lint import lint
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.openmmlab.on_meta import build_on_meta

from .openmmlab_forward import META, ZEROS, forward

TOOLBOXES = ('mmdet', 'mmseg', 'mmpretrain')
FIELDS = ('toolbox', 'config', 'result', 'parameters', 'reason', 'ran')
# results, from the first step that fails
READ = 'not read'
PART = 'no model'  # a part of other configs, or a list of settings
REFUSED = 'not built'
BUILT = 'built'
WARNED = 'built, with findings'
MARK = '<!-- tables -->'
LONGEST = 240  # characters of a reason
SCRIPTS = ('override_category.py',)  # programs among the configs


def configs(toolbox: str) -> list[Path]:
    """Return the configs that a toolbox ships, except those that are only bases."""
    files = sorted(folder(toolbox).rglob('*.py'))
    return [file for file in files if '_base_' not in file.parts and file.name not in SCRIPTS]


def folder(toolbox: str) -> Path:
    """Return the folder of the configs that a toolbox ships."""
    spec = find_spec(toolbox)
    return Path(spec.origin).parent / '.mim' / 'configs'


def examine(toolbox: str, file: Path) -> dict[str, str]:
    """Return the row of a config."""
    row = {'toolbox': toolbox, 'config': file.relative_to(folder(toolbox)).as_posix()}
    try:
        config = read_config(file)
    except Exception as error:
        return row | {'result': READ, 'reason': one_line(error)}
    if 'model' not in config:
        return row | {'result': PART}
    findings = found_in(config)
    try:
        model = build_on_meta(config.model, config.get('default_scope') or toolbox)
    except Exception as error:
        return row | {'result': REFUSED, 'reason': one_line(error)}
    count = sum(parameter.numel() for parameter in model.parameters())
    result = WARNED if findings else BUILT
    return row | {'result': result, 'parameters': str(count), 'reason': findings}


def found_in(config: Config) -> str:
    """Return what a training would say of the settings, '' for nothing."""
    try:
        lint(config)
    except InputError as error:
        return one_line(str(error).partition('\n')[2])
    return ''


def one_line(error: Exception | str) -> str:
    """Return a reason without paths of this machine."""
    text = ' '.join(str(error).split()).replace(
        f'{Path(find_spec("mmdet").origin).parents[1]}/', ''
    )
    kind = '' if isinstance(error, str | InputError) else f'{type(error).__name__}: '
    return f'{kind}{text}'[:LONGEST]


def measure(out: Path, toolboxes: Sequence[str], most: int | None) -> None:
    """Append the rows of all configs that have none yet."""
    done = {(row['toolbox'], row['config']) for row in rows(out)}
    new = not out.exists()
    with open(out, 'a', newline='') as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
        if new:
            writer.writeheader()
        for toolbox in toolboxes:
            for path in configs(toolbox)[:most]:
                name = path.relative_to(folder(toolbox)).as_posix()
                if (toolbox, name) not in done:
                    writer.writerow(examine(toolbox, path))
                    file.flush()


def run_models(out: Path, number: int) -> None:
    """Run the first models of a random order, except those that have been run."""
    found = rows(out)
    for row in in_random_order(found)[:number]:
        if not row['ran']:
            row['ran'] = ran(row)
            write(out, found)


def in_random_order(found: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows of models that are built, in an order that does not depend on the others."""
    built = [row for row in found if row['result'] in (BUILT, WARNED)]
    return sorted(
        built, key=lambda row: random.Random(f'{row["toolbox"]} {row["config"]}').random()
    )


def ran(row: dict[str, str]) -> str:
    """Return how the model of a row ran, or why it did not."""
    config = read_config(folder(row['toolbox']) / row['config'])
    model = build_on_meta(config.model, config.get('default_scope') or row['toolbox'])
    return forward(model, config)[:LONGEST]


def write(out: Path, found: Sequence[dict[str, str]]) -> None:
    """Write all rows."""
    with open(out, 'w', newline='') as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator='\n')
        writer.writeheader()
        writer.writerows(found)


def rows(out: Path) -> list[dict[str, str]]:
    """Return what is measured."""
    if not out.is_file():
        return []
    with open(out, newline='') as file:
        return [*csv.DictReader(file)]


def page(found: Sequence[dict[str, str]]) -> Iterator[str]:
    """Yield the lines of the tables: toolboxes, what is not built, what did not run, families."""
    yield '| toolbox | configs with a model | built | without findings | not built | run | ran |'
    yield '|---|---|---|---|---|---|---|'
    for toolbox in TOOLBOXES:
        yield summary(toolbox, [row for row in found if row['toolbox'] == toolbox])
    yield from ('', '## What is not built', '')
    refused = [row for row in found if row['result'] in (READ, REFUSED)]
    yield from reasons(refused, 'reason')
    yield from ('', '## What did not run', '')
    yield from reasons([row for row in found if row['ran'] not in ('', META, ZEROS)], 'ran')
    yield from ('', '## Families', '')
    yield '| toolbox | family | configs with a model | built | run | ran |'
    yield '|---|---|---|---|---|---|'
    for (toolbox, family), mine in sorted(families(found).items()):
        yield f'| {toolbox} | {family} | ' + ' | '.join(map(str, counts(mine))) + ' |'


def summary(toolbox: str, mine: Sequence[dict[str, str]]) -> str:
    """Return the line of a toolbox."""
    whole, built, tried, ran_well = counts(mine)
    fine = sum(row['result'] == BUILT for row in mine)
    share = f'{100 * built / whole:.1f} %' if whole else '-'
    numbers = (whole, f'{built} ({share})', fine, whole - built, tried, ran_well)
    return f'| {toolbox} | ' + ' | '.join(map(str, numbers)) + ' |'


def counts(mine: Sequence[dict[str, str]]) -> list[int]:
    """Return how many configs have a model, are built, were run, and ran."""
    built = [row for row in mine if row['result'] in (BUILT, WARNED)]
    tried = [row['ran'] for row in built if row['ran']]
    whole = sum(row['result'] != PART for row in mine)
    return [whole, len(built), len(tried), sum(how in (META, ZEROS) for how in tried)]


def families(found: Sequence[dict[str, str]]) -> dict[tuple[str, str], list[dict[str, str]]]:
    """Return the rows of each folder of configs."""
    made: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in found:
        made.setdefault((row['toolbox'], family_of(row)), []).append(row)
    return made


def family_of(row: dict[str, str]) -> str:
    """Return the folder of a config."""
    return row['config'].partition('/')[0]


def reasons(found: Sequence[dict[str, str]], column: str) -> Iterator[str]:
    """Yield a table of the reasons in a column, by family."""
    yield '| toolbox | family | configs | reason |'
    yield '|---|---|---|---|'
    each = Counter((row['toolbox'], family_of(row), row[column]) for row in found)
    for (toolbox, family, reason), count in sorted(each.items()):
        yield f'| {toolbox} | {family} | {count} | {reason.replace("|", "/")} |'


def write_summary(target: Path, lines: Sequence[str]) -> None:
    """Write tables below the mark of a page.

    Raises:
        InputError: the page has no mark.
    """
    before, mark, _ = target.read_text().partition(MARK)
    if not mark:
        raise InputError(f'{target}: has no line {MARK}')
    target.write_text('\n'.join([before + mark, '', *lines, '']))


def arguments() -> Namespace:
    """Read the command line."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('--out', type=Path, default=Path('docs/lab/openmmlab_configs.csv'), help='CSV file')
    add('--toolboxes', nargs='+', choices=TOOLBOXES, default=TOOLBOXES)
    add('--most', type=int, metavar='N', help='measure only the first N configs of each toolbox')
    add('--run', type=int, metavar='N', help='run N of the models that are built')
    add('--summary', type=Path, metavar='PAGE', help='write the tables below the mark of a page')
    return parser.parse_args()


def main() -> None:
    """Measure, or write the page."""
    options = arguments()
    if options.summary:
        write_summary(options.summary, [*page(rows(options.out))])
        return
    warnings.filterwarnings('ignore')
    MMLogger.get_instance('openmmlab_configs', log_level='ERROR')
    if options.run:
        run_models(options.out, options.run)
    else:
        measure(options.out, options.toolboxes, options.most)


if __name__ == '__main__':
    sys.exit(run(main))
