"""What the frames of a traceback tell."""

import sys
from pathlib import Path

from vitbackbones.utils.frames import (
    calls,
    config_files,
    last_line,
    line_of,
    nearest,
    owners,
    release,
    waits_for_data,
)


class Part:
    def __init__(self, inner=None):
        self.inner = inner

    def forward(self):
        size = 3
        if self.inner is None:
            raise ValueError(size)
        self.inner.forward()


def raised(function, *args):
    try:
        function(*args)
    except Exception as error:
        return error
    raise AssertionError


def test_functions_and_their_variables_from_the_outermost():
    inner = Part()
    outer = Part(inner)
    error = raised(outer.forward)
    names = [call.function for call in calls(error)]
    assert names == ['raised', 'forward', 'forward']
    assert calls(error)[-1].variables == {'self': inner, 'size': 3}
    assert calls(error)[-1].file == __file__
    assert owners(error, 'forward') == [outer, inner]
    assert owners(error, 'backward') == []
    assert nearest(error, Part) is inner
    assert nearest(error, complex) is None
    assert last_line(error) == 'raise ValueError(size)'
    release(error)
    assert calls(error)[-1].variables == {}


def test_errors_that_were_raised_again_from_none():
    def again():
        try:
            Part().forward()
        except ValueError as error:
            raise TypeError from error if keeps else None

    keeps = False
    assert [call.function for call in calls(raised(again))] == [
        'raised',
        'again',
        'again',
        'forward',
    ]
    keeps = True
    shown = raised(again)
    assert [call.function for call in calls(shown)][:2] == ['raised', 'again']


def test_config_files_are_those_that_mmengine_was_reading():
    scope = {}
    code = 'def read(filename, then):\n    then()\n'
    exec(compile(code, '/x/mmengine/config.py', 'exec'), scope)  # noqa: S102
    read = scope['read']

    def fail():
        filename = 'not of mmengine.py'
        raise ValueError(filename)

    error = raised(
        read, '/a/outer.py', lambda: read('/a/inner.py', lambda: read('/a/inner.py', fail))
    )
    assert config_files(error) == [Path('/a/outer.py'), Path('/a/inner.py')]
    assert config_files(raised(read, None, fail)) == []


def test_the_line_of_a_file_that_runs_as_a_module(tmp_path):
    file = tmp_path / 'config.py'
    file.write_text('a = 1\n\nb = 1 / 0\n')
    error = raised(lambda: exec(compile(file.read_text(), str(file), 'exec'), {}))  # noqa: S102
    assert line_of(error, file) == 3
    assert line_of(error, tmp_path / 'other.py') is None
    assert line_of(raised(Part().forward), Path(__file__)) is None


def test_torchs_loader_is_recognized():
    def _next_data():
        return waits_for_data(sys._getframe())

    def _try_get_data():
        return (lambda: waits_for_data(sys._getframe()))()

    def other():
        return waits_for_data(sys._getframe())

    assert _next_data() is True
    assert _try_get_data() is True
    assert other() is False
    assert waits_for_data(None) is False
