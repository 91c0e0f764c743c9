"""docs/scale.md is filled from the files of two suites."""

import pytest

from vitbackbones.benchmarking.tables import as_csv

from .conftest import ROOT, load_tool

SIZES = {196: '224x224', 784: '448x448', 3136: '896x896'}


def line(host, step, axis, milliseconds, exponent):
    fitted = {'time_exponent': exponent, 'time_off': 0.2, 'memory_exponent': -0.0, 'memory_off': 0}
    return [
        {'axis': axis, 'host': host, 'value': value, 'step': step, 'size': size}
        | {'median_ms': ms, 'peak_MiB': 8.4}
        | fitted
        for (value, size), ms in zip(SIZES.items(), milliseconds, strict=True)
    ]


@pytest.fixture
def docs(tmp_path):
    """A copy of the page, and of nothing else."""
    (tmp_path / 'images').mkdir()
    (tmp_path / 'scale.md').write_text((ROOT / 'docs/scale.md').read_text())
    return tmp_path


def test_tables_and_curves_take_their_places_and_the_text_stays(docs, tmp_path):
    page = load_tool('scale_page')
    rows = [
        *line('deit_ti', 'forward', 'tokens', (1, 4, 64), 1.5),
        *line('deit_ti', 'forward', 'batch', (1, 2, 4), 1),
        *line('deit_ti', 'train', 'tokens', (3, 12, 48), 1),
        *line('deit_ti', 'train', 'processes', (1, 1, 1), 0),
    ]
    seconds = [
        {'config': 'a', 'part': 'config', 'seconds': 0.02},
        {'config': 'a', 'part': 'first step', 'seconds': 0.26},
        {'config': 'b', 'part': 'config', 'seconds': 0.01},
        {'config': 'b', 'part': 'evaluation', 'seconds': 1.5},
    ]
    for name, table in (('scale.csv', rows), ('startup.csv', seconds)):
        (tmp_path / name).write_bytes(as_csv(table))
    page.main([tmp_path / 'scale.csv', tmp_path / 'startup.csv'], docs)
    text = (docs / 'scale.md').read_text()
    for expected in (
        '| `deit_ti`, forward | 2.00 | 1.50 (± 20%) | 0.00 | 1.00 (± 20%) | 0.00 |  |  |  |  |',
        '| `deit_ti`, train | 1.00 | 1.00 (± 20%) | 0.00 |  |  |  |  | 0.00 (± 20%) | 0.00 |',
        '| `deit_ti`, forward | 1 ms, 8 MiB | 4 ms, 8 MiB | 64 ms, 8 MiB |',
        '| first step | 0.26 |  |\n| evaluation |  | 1.50 |\n<!-- end of startup -->',
    ):
        assert expected in text
    assert '| config |' not in text  # short everywhere
    assert (docs / 'images/scale.png').read_bytes().startswith(b'\x89PNG')
    before = (ROOT / 'docs/scale.md').read_text()
    assert text.partition('<!--')[0] == before.partition('<!--')[0]
    assert text.rpartition('-->')[2] == before.rpartition('-->')[2]
