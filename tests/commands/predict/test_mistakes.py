"""What ``predict`` refuses, and what one bad file costs."""

import cv2
import numpy as np
import pytest
import torch

from vitbackbones.tasks.predictor import Predictor

from .pictures import STILLS, film, throw

pytestmark = pytest.mark.compat


def test_unreadable_files_are_named_and_the_others_done(predict, files):
    whole = (files / 'cmyk.jpg').read_bytes()
    (files / 'cut.jpg').write_bytes(whole[: len(whole) // 2])
    (files / 'empty.mp4').write_bytes(b'')
    film(files / 'long.avi', 40)
    whole = (files / 'long.avi').read_bytes()
    (files / 'long.avi').write_bytes(whole[: len(whole) // 2])
    result = predict('cls', files, '--batch-size', 3, status=2)
    cut, empty, long, summary = result.err.splitlines()
    assert f'image file {files}/cut.jpg: truncated' in cut
    assert f'video file {files}/empty.mp4: not a video, or damaged' in empty
    assert f'video file {files}/long.avi: ends after ' in long
    assert summary == 'error: 3 of 11 files failed, see above'
    assert {(name, None) for name in STILLS} <= result.entries.keys()
    assert ('long.avi', 5) in result.entries


def test_results_of_another_run_are_not_overwritten(predict, files, tmp_path):
    predict('cls', files / 'rgb.png')
    before = (tmp_path / 'out/predictions.json').read_text()
    result = predict('cls', files / 'gray.png', status=2)
    assert 'is not empty. Choose another folder, continue' in result.err
    assert 'or start from the beginning with --overwrite' in result.err
    assert (tmp_path / 'out/predictions.json').read_text() == before
    assert predict('cls', files / 'gray.png', '--overwrite').entries.keys() == {('gray.png', None)}


def test_results_are_no_inputs(predict, files):
    inside = files / 'out'
    count = len(predict('cls', files, out=inside).entries)
    assert len(predict('cls', files, '--overwrite', out=inside).entries) == count


@pytest.mark.parametrize(('task', 'read'), [('cls', 'pred_score'), ('seg', 'seg_logits')])
def test_what_is_no_number_is_not_written(predict, files, monkeypatch, task, read):
    call = Predictor.__call__

    def broken(self, samples):
        found = call(self, samples)
        for sample in found:
            values = getattr(sample, read)
            getattr(values, 'data', values).fill_(np.nan)
        return found

    monkeypatch.setattr(Predictor, '__call__', broken)
    result = predict(task, files / 'rgb.png', status=2)
    assert 'NaN or infinite' in result.err
    assert result.entries == {}


def test_a_picture_that_cannot_be_resized_costs_itself_only(predict, files):
    cv2.imwrite(str(files / 'flat.png'), np.zeros((1, 40000, 3), np.uint8))
    result = predict('det', files, '--batch-size', 3, status=2)
    fault = 'its 40000 x 1 pixels cannot be resized'
    assert result.err.startswith(f'error: image file {files}/flat.png: {fault}\n')
    assert {(name, None) for name in STILLS} <= result.entries.keys()


def test_whatever_a_pipeline_raises_costs_one_picture(predict, files, monkeypatch):
    prepare = Predictor.prepare

    def fails(self, frame):
        is_gray = 'gray' in frame.source.name
        return throw(cv2.error('at 0,\n 0')) if is_gray else prepare(self, frame)

    monkeypatch.setattr(Predictor, 'prepare', fails)
    (files / 'gray.png').rename(files / 'gray\x1b[2J.png')
    result = predict('cls', files, '--batch-size', 3, status=2)
    name = rf'image file {files}/gray\x1b[2J.png'
    assert result.err.startswith(f'error: {name}: the pipeline fails (error: at 0, 0)\n')
    assert {(name, None) for name in STILLS} - result.entries.keys() == {('gray.png', None)}
    assert ('gray\x1b[2J.png', None) not in result.entries


def test_a_batch_that_the_model_fails_on_is_named(predict, files, at_batch):
    at_batch(2, lambda: throw(torch.cuda.OutOfMemoryError('Tried to allocate 1 TiB')))
    result = predict('cls', files / 'deep.png', files / 'gray.png', files / 'rgb.png', status=2)
    text = f'{files}/gray.png: the model fails (OutOfMemoryError: Tried to allocate 1 TiB)\n'
    assert result.err == f'error: image file {text}error: 1 of 3 files failed, see above\n'
    assert [name for name, _ in result.entries] == ['deep.png', 'rgb.png']


def test_a_model_that_never_works_ends_with_its_own_error(predict, files, monkeypatch):
    monkeypatch.setattr(Predictor, '__call__', lambda *arguments: throw(RuntimeError('a bug')))
    said = predict('cls', files, status=1).err
    assert 'RuntimeError: a bug' in said
    assert said.splitlines()[-1].startswith('this looks like a bug')


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        (['nowhere'], 'nowhere: no such file or folder'),
        (['empty'], 'empty: no image or video there'),
        (['files', '--device', 'cuda:99'], '--device cuda:99: '),
        (['files', '--cfg-options', 'default_scope=mmocr'], 'default_scope must be one of mmdet, '),
        (['files', '--cfg-options', 'model.head.num_classes=8'], 'names 7 classes (a, b, c'),
    ],
)
def test_messages(predict, files, arguments, text):
    (files.parent / 'empty').mkdir()
    result = predict('cls', *arguments, status=2)
    assert result.err.startswith('error: ')
    assert text in result.err
    assert not (files.parent / 'out' / 'predictions.json').exists()


def test_bfloat16_that_is_emulated_is_said_to_be_slower(predict, files, monkeypatch):
    for feature in ('avx512_bf16', 'amx_tile'):
        monkeypatch.setattr(torch.cpu, f'_is_{feature}_supported', lambda: False)
    with pytest.warns(UserWarning, match='emulates bfloat16, so it is slower'):
        predict('cls', files / 'rgb.png', '--fused', 'bfloat16')
