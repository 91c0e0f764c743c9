"""Under the name of an export is a whole one: the new one, or the earlier one."""

import os
from multiprocessing import get_context

import pytest

from vitbackbones.errors import InputError
from vitbackbones.export.placing import take_place, workshop

NAMES = ('model.xml', 'model.bin', 'model.xml.json')


def export(file, content, names=NAMES):
    with workshop(file) as folder:
        for name in names:
            (folder / name).write_text(content)
        take_place(sorted(folder.iterdir()), file)


def contents(folder):
    return {file.name: file.read_text() for file in folder.iterdir()}


@pytest.fixture
def file(tmp_path):
    """An earlier export."""
    export(tmp_path / 'model.xml', 'earlier')
    return tmp_path / 'model.xml'


def stopped_at(move, stop):
    """Return an ``os.replace`` that is stopped once, after so many moves."""
    stops, replace = iter([*[int] * move, stop]), os.replace

    def replace_or_stop(source, target):
        next(stops, int)()
        replace(source, target)

    return replace_or_stop


def interrupt():
    raise KeyboardInterrupt


# a new export with other files than the earlier one: one more, or one less
EARLIER = (NAMES, ('model.xml', 'model.xml.json'))


@pytest.mark.parametrize('names', EARLIER, ids=len)
@pytest.mark.parametrize('move', range(5))
def test_interrupted_at_any_move_the_earlier_one_stays(tmp_path, monkeypatch, move, names):
    export(tmp_path / 'model.xml', 'earlier', names)
    monkeypatch.setattr(os, 'replace', stopped_at(move, interrupt))
    with pytest.raises(KeyboardInterrupt):
        export(tmp_path / 'model.xml', 'new', EARLIER[names == NAMES])
    assert contents(tmp_path) == dict.fromkeys(names, 'earlier')


@pytest.mark.parametrize('names', EARLIER, ids=len)
@pytest.mark.parametrize('move', range(5))
def test_killed_at_any_move_the_next_one_tidies_up(tmp_path, monkeypatch, move, names):
    def killed():
        monkeypatch.setattr(os, 'replace', stopped_at(move, lambda: os._exit(9)))
        export(tmp_path / 'model.xml', 'new', EARLIER[names == NAMES])

    export(tmp_path / 'model.xml', 'earlier', names)
    process = get_context('fork').Process(target=killed)
    process.start()
    process.join()
    assert process.exitcode == 9
    assert (tmp_path / '.export.model.xml').is_dir()
    with workshop(tmp_path / 'other.onnx'):  # any export beside it
        pass
    assert contents(tmp_path) == dict.fromkeys(names, 'earlier')


def test_all_of_an_earlier_one_goes(file):
    export(file, 'new', ('model.xml', 'model.xml.json'))
    assert contents(file.parent) == {'model.xml': 'new', 'model.xml.json': 'new'}


def test_of_two_exports_to_a_file_one_is_refused_and_the_other_goes_on(file):
    def second():
        try:
            export(file, 'second')
        except InputError as error:
            file.with_name('refusal').write_text(str(error))

    with workshop(file) as folder:
        process = get_context('fork').Process(target=second)
        process.start()
        process.join()
        for name in NAMES:
            (folder / name).write_text('first')
        take_place([*folder.iterdir()], file)
    refusal = file.with_name('refusal').read_text()
    assert f'process {os.getpid()} on ' in refusal
    assert contents(file.parent) == {**dict.fromkeys(NAMES, 'first'), 'refusal': refusal}
