"""Put what tools/benchmark.py --suite scale and --suite startup have measured into docs/scale.md.

python tools/scale_page.py forward.csv train.csv startup.csv

The tables take the places of what stands between comments there; the curves over tokens become
docs/images/scale.png.
"""

import math
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # an installed package comes first

from matplotlib.figure import Figure

from vitbackbones.analysis.plots import add_legend, grouped, label, new_figure, style_of
from vitbackbones.benchmarking.tables import markdown, read_csv, replaced

DOCS = Path(__file__).resolve().parents[1] / 'docs'
AXES = ('tokens', 'batch', 'depth', 'processes')
PANELS = {'median_ms': ('time of a step', 'ms'), 'peak_MiB': ('peak memory of a step', 'MiB')}


def exponents(rows: list[dict]) -> Iterator[str]:
    """The lines of a table of exponents, a row for each host and step."""
    titles = ['host, step', 'tokens, last two sizes: time']
    titles += [title for axis in AXES for title in (f'{axis}: time', 'memory')]
    table = []
    for (host, step), own in grouped(rows, 'host', 'step').items():
        lines = grouped(own, 'axis')
        cells = [f'`{host}`, {step}', f'{last_exponent(lines["tokens"]):.2f}']
        for axis in AXES:
            cells += fitted(lines[axis][0]) if axis in lines else ['', '']
        table.append(cells)
    return markdown(titles, table)


def fitted(row: dict) -> list[str]:
    """The exponents of time and memory, each with how far the power is off where that is much."""
    return [
        f'{float(row[f"{kind}_exponent"]) + 0:.2f}{off(float(row[f"{kind}_off"]))}'
        for kind in ('time', 'memory')
    ]


def off(share: float) -> str:
    return f' (± {share:.0%})' if share >= 0.05 else ''


def last_exponent(line: list[dict]) -> float:
    """The exponent of time between the last two points of a line."""
    (n, ms), (more, longer) = ((int(r['value']), float(r['median_ms'])) for r in line[-2:])
    return math.log(longer / ms) / math.log(more / n)


def sizes(rows: list[dict]) -> Iterator[str]:
    """The lines of a table of times and memory at each size."""
    along = [row for row in rows if row['axis'] == 'tokens']
    table = []
    for (host, step), own in grouped(along, 'host', 'step').items():
        measured = ((float(row['median_ms']), float(row['peak_MiB'])) for row in own)
        cells = (f'{ms:.0f} ms, {peak:.0f} MiB' for ms, peak in measured)
        table.append([f'`{host}`, {step}', *cells])
    return markdown(['host, step', *grouped(along, 'size')], table)


def startup(rows: list[dict]) -> Iterator[str]:
    """The lines of a table of seconds, without what takes less than 50 ms everywhere."""
    configs = grouped(rows, 'config')
    table = []
    for part, own in grouped(rows, 'part').items():
        seconds = {row['config']: float(row['seconds']) for row in own}
        if max(seconds.values()) >= 0.05:
            cells = (f'{seconds[name]:.2f}' if name in seconds else '' for name in configs)
            table.append([part, *cells])
    return markdown(['', *(f'`{name}`' for name in configs)], table)


def draw(rows: list[dict]) -> Figure:
    """Draw time and memory over tokens, both logarithmic, training above inference."""
    along = [row for row in rows if row['axis'] == 'tokens']
    steps = grouped(along, 'step')
    figure, axes = new_figure(len(steps), len(PANELS), (4.6, 3.4))
    for (step, own), line in zip(steps.items(), axes, strict=True):
        for (column, (title, unit)), panel in zip(PANELS.items(), line, strict=True):
            for number, (host, points) in enumerate(grouped(own, 'host').items()):
                tokens = [int(row['value']) for row in points]
                values = [float(row[column]) for row in points]
                panel.loglog(tokens, values, label=host, **style_of(number))
            panel.grid(alpha=0.3)
            label(panel, f'{title}, {step}', 'tokens (patches of 16 pixels)', unit)
    add_legend(axes[0, 0])
    return figure


def with_table(page: str, name: str, lines: Iterator[str]) -> str:
    """The text ``page`` with a table in its place."""
    return replaced(page, f'<!-- {name} -->\n', f'<!-- end of {name} -->\n', lines)


def main(files: list[Path], docs: Path) -> None:
    tables = [read_csv(file) for file in files]
    scale = [row for table in tables for row in table if 'axis' in row]
    seconds = [row for table in tables for row in table if 'part' in row]
    page = docs / 'scale.md'
    text = page.read_text()
    if scale:
        text = with_table(text, 'exponents', exponents(scale))
        text = with_table(text, 'sizes', sizes(scale))
        draw(scale).savefig(docs / 'images' / 'scale.png')
    if seconds:
        text = with_table(text, 'startup', startup(seconds))
    page.write_text(text)


if __name__ == '__main__':
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('files', type=Path, nargs='+', help='CSV files of the two suites')
    main(parser.parse_args().files, DOCS)
