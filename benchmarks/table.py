"""What a suite has measured, as a table in Markdown.

    python -m benchmarks.table parts.csv --rows form --columns step size batch --cell '{ratio}'
    python -m benchmarks.table cpu.csv --rows model batch --columns source --cell '{reached}'
    python -m benchmarks.table scale.csv --rows host step --columns axis \\
        --cell '{time_exponent}, {memory_exponent}'

Of several measurements in one place the last counts.
"""

import csv
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from pathlib import Path


def table(measured: list[dict], rows: list[str], columns: list[str], cell: str) -> list[str]:
    """Return the lines of a table.

    Args:
        measured: rows of CSV files.
        rows, columns: names of what tells the rows and the columns of the table apart.
        cell: what is written in a place, with the names of values in braces.
    """
    places: dict[tuple, dict[str, str]] = {}
    titles: dict[str, None] = {}
    for each in measured:
        title = ', '.join(each[name] for name in columns)
        titles[title] = None
        places.setdefault(tuple(each[name] for name in rows), {})[title] = cell.format(**each)
    lines = [[*rows, *titles], ['---'] * (len(rows) + len(titles))]
    lines += [
        [*place, *(cells.get(title, '') for title in titles)] for place, cells in places.items()
    ]
    return [f'| {" | ".join(line)} |' for line in lines]


if __name__ == '__main__':
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='+', type=Path, help='CSV files of one suite')
    parser.add_argument('--rows', nargs='+', required=True, metavar='NAME')
    parser.add_argument('--columns', nargs='+', required=True, metavar='NAME')
    parser.add_argument('--cell', required=True)
    options = parser.parse_args()
    measured = [row for file in options.files for row in csv.DictReader(file.open())]
    print('\n'.join(table(measured, options.rows, options.columns, options.cell)))
