"""``serve`` as a user starts and ends it."""

import os
import signal
import socket
import subprocess
import sys

import pytest

httpx = pytest.importorskip('httpx')
pytest.importorskip('fastapi')

from tests.runtime.graphs import write_classifier  # noqa: E402
from tests.serving.test_app import encoded  # noqa: E402
from vitbackbones.commands import serve  # noqa: E402
from vitbackbones.errors import InputError  # noqa: E402

from .test_messages import refused  # noqa: E402

LISTENING = 'listening on '


@pytest.fixture
def model(tmp_path):
    write_classifier(tmp_path / 'model.onnx', size=(None, None))
    return tmp_path / 'model.onnx'


def started(model, *arguments):
    words = [sys.executable, '-m', 'vitbackbones', 'serve', str(model), *arguments, '--port', '0']
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_server_answers_until_a_signal_and_writes_nothing(model, tmp_path):
    (tmp_path / 'token').write_text('s3cret\n')
    before = sorted(tmp_path.iterdir())
    with started(model, '--token-file', str(tmp_path / 'token'), '--host', 'localhost') as process:
        said = [process.stdout.readline() for _ in range(3)]
        address = said[-1].removeprefix(LISTENING).strip()
        assert said[0] == f'weights: {model}\n'
        assert address.startswith('http://127.0.0.1:')
        headers = {'Authorization': 'Bearer s3cret'}
        reply = httpx.post(f'{address}/predict', content=encoded(), headers=headers)
        assert [each['class'] for each in reply.json()['best']] == ['ring', 'square', 'star']
        assert httpx.get(f'{address}/health').json()['model'] == 'model.onnx'
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM
        assert process.stderr.read() == 'interrupted\n'
    assert sorted(tmp_path.iterdir()) == before


def test_a_port_in_use_is_one_message(tool, model):
    with socket.create_server(('127.0.0.1', 0)) as taken:
        port = taken.getsockname()[1]
        text = refused(tool('serve', model, '--port', port))
    assert f'--host 127.0.0.1 --port {port}: ' in text
    assert text.count('\n') <= 1


def test_everyone_is_told_of(model, monkeypatch, capsys, tool):
    monkeypatch.setattr(serve, 'run', lambda *_: None)
    assert tool('serve', model, '--host', '0.0.0.0', '--port', '0').status == 0
    result = tool('serve', model, '--host', '0.0.0.0', '--port', '0')
    assert (
        'warning: everyone who can reach 0.0.0.0 can use this model; see --token-file' in result.err
    )
    assert not tool('serve', model, '--port', '0').err


@pytest.mark.parametrize('content', [b'', b'two words', b'\xff', None])
def test_a_token_is_one_word_of_a_file(content, tmp_path):
    if content is not None:
        (tmp_path / 'token').write_bytes(content)
    with pytest.raises(InputError, match='^--token-file .*token: '):
        serve.read_token(str(tmp_path / 'token'))


def test_a_package_that_is_missing_is_named(model, tmp_path):
    (tmp_path / 'fastapi.py').write_text('raise ModuleNotFoundError("no", name="fastapi")')
    words = [sys.executable, '-m', 'vitbackbones', 'serve', str(model)]
    path = os.pathsep.join([str(tmp_path), os.environ.get('PYTHONPATH', '')])
    done = subprocess.run(
        words, capture_output=True, text=True, env=os.environ | {'PYTHONPATH': path}, timeout=120
    )
    assert done.returncode == 2
    assert 'serve requires the package fastapi' in done.stderr
    assert "pip install 'vitbackbones[all]'" in done.stderr
