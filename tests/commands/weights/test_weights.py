"""``vitbackbones weights`` lists, fetches and checks."""

from argparse import ArgumentParser
from dataclasses import replace

import pytest
import safetensors.torch
import torch

from tests.weights.server import behaving
from vitbackbones.commands.weights.weights import ROWS, add_arguments, weights
from vitbackbones.errors import InputError
from vitbackbones.weights import PUBLISHED

CONTENT = safetensors.torch.save({'w': torch.ones(1)})


@pytest.fixture
def server(tmp_path, monkeypatch):
    with behaving(tmp_path / 'cache', monkeypatch) as (address, behavior):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv('HF_ENDPOINT', f'{address}/hub')
        behavior.address, behavior.content = address, CONTENT
        yield behavior


@pytest.fixture
def published(server, monkeypatch):
    """Let a row name the server: ``published(name, file, **facts)``."""

    def publish(name, file='x.safetensors', **facts):
        row = replace(PUBLISHED[name], url=f'{server.address}/{file}', sha256=None, **facts)
        for table in (PUBLISHED, ROWS):
            monkeypatch.setitem(table, name, row)

    return publish


def run(*arguments):
    parser = ArgumentParser()
    add_arguments(parser)
    weights(parser.parse_args(arguments))


def test_all_are_listed_with_license_and_address(capsys):
    run()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == [*ROWS]
    assert lines[-1].startswith('never published: aug_vit_ti, ')
    (line,) = (line for line in lines if line.startswith('pvt_s '))
    assert line.split()[1:] == ['79.8', 'apache-2.0', PUBLISHED['pvt_s'].url]


def test_a_pattern_lists_some(capsys):
    run('swin_[ts]')
    listed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in listed] == ['swin_t', 'swin_s']


def test_a_name_is_fetched_and_its_file_printed(published, capsys):
    published('pvt_s')
    run('pvt_s')
    file = capsys.readouterr().out.strip()
    with open(file, 'rb') as opened:
        assert opened.read() == CONTENT


def test_check_asks_publisher_and_hub_without_fetching(published, server, capsys):
    published('deit_s', size=len(CONTENT))
    run('--check', 'deit_s')
    lines = capsys.readouterr().out.splitlines()
    assert [line.split('  ')[0].split() for line in lines] == [['deit_s']] * 2
    assert all(f'ok, {len(CONTENT)} bytes' in line for line in lines)
    assert lines[1].endswith(
        '/hub/timm/deit_small_patch16_224.fb_in1k/resolve/main/model.safetensors'
    )
    assert {method for method, *_ in server.asked} == {'HEAD'}


@pytest.mark.parametrize(
    ('file', 'size', 'problem'),
    [
        ('missing.pth', None, 'HTTP Error 404'),
        ('x.pth', 8, 'bytes, 8 in the table'),
    ],
)
def test_check_exits_with_1_where_an_address_fails(published, capsys, file, size, problem):
    published('pvt_s', file, size=size)
    with pytest.raises(SystemExit) as stop:
        run('--check', 'pvt_s')
    assert stop.value.code == 1
    assert problem in capsys.readouterr().out


def test_check_needs_a_network_and_known_names(monkeypatch):
    with pytest.raises(InputError, match=r"pvt_z: .*did you mean 'pvt_"):
        run('--check', 'pvt_z')
    monkeypatch.setenv('HF_HUB_OFFLINE', '1')
    with pytest.raises(InputError, match='HF_HUB_OFFLINE is set'):
        run('--check')
