"""tools/predict.py on every kind of file: what it writes, refuses and keeps."""

import errno
import json
import os
import shutil
import signal
import stat
from multiprocessing import get_context
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image
from pycocotools.coco import COCO

from vitbackbones.drawing.sheet import PALETTE
from vitbackbones.files import folder_lock
from vitbackbones.inference.predictor import Predictor
from vitbackbones.inference.writers import ScoreWriter

from ..openmmlab.conftest import write

pytestmark = pytest.mark.compat
TASKS = ('det', 'seg', 'cls')
STILLS = ('cmyk.jpg', 'deep.png', 'exif.jpg', 'gray.png', 'rgb.png', 'rgba.png', 'sub/rgb.png')
SAME = ('deep.png', 'rgba.png', 'sub/rgb.png')  # the very pixels of rgb.png
HEIGHT, WIDTH, FRAMES = 60, 80, 7
DATASET = 'test_dataloader.dataset'


@pytest.fixture(scope='module')
def models(tmp_path_factory):
    return write(tmp_path_factory.mktemp('models'))


def film(path, frames):
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*'MJPG'), 10, (WIDTH, HEIGHT))
    for i in range(frames):
        writer.write(np.roll(picture(), 5 * i, axis=1))
    writer.release()


def picture():
    noise = np.random.default_rng(1).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return cv2.resize(noise, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC)


@pytest.fixture
def files(tmp_path):
    """A folder of one picture in many formats, a video, and what is neither."""
    place = tmp_path / 'files'
    (place / 'sub').mkdir(parents=True)
    bgr = picture()
    image = Image.fromarray(bgr[..., ::-1])
    fine = {'quality': 100, 'subsampling': 0}
    for name in ('rgb.png', 'sub/rgb.png'):
        image.save(place / name)
    for mode, name in (('L', 'gray.png'), ('RGBA', 'rgba.png'), ('CMYK', 'cmyk.jpg')):
        image.convert(mode).save(place / name, **(fine if name.endswith('jpg') else {}))
    cv2.imwrite(str(place / 'deep.png'), bgr.astype(np.uint16) * 257)
    exif = image.getexif()
    exif[0x112] = 6  # turn by 90 degrees to view
    image.rotate(90, expand=True).save(place / 'exif.jpg', exif=exif, **fine)
    film(place / 'clip.avi', FRAMES)
    for name in ('notes.txt', '.hidden.png'):
        (place / name).write_text('no picture')
    return place


@pytest.fixture
def predict(tool, models):
    """``predict(task, INPUT, ...)`` runs the tool and reads ``out/predictions.json``."""

    def call(task, *arguments, status=0, out='out'):
        model = models / f'tiny_{task}.py', models / f'tiny_{task}.pth'
        result = tool('predict', *model, *arguments, '--out', out)
        assert result.status == status, result.out + result.err
        result.entries = {}
        for entry in json.loads(Path(out, 'predictions.json').read_text()):
            key = entry.pop('file_name'), entry.pop('frame', None)
            entry.pop('image_id', None)
            result.entries.setdefault(key, []).append(entry)
        return result

    return call


# ------------------------------------------------------------------------ what is written


@pytest.mark.parametrize('task', TASKS)
def test_every_kind_of_file(predict, files, tmp_path, task):
    result = predict(task, files, '--batch-size', 3)
    assert '8 of 8 files' in result.out
    assert result.entries.keys() == {
        *((name, None) for name in STILLS),
        *(('clip.avi', i) for i in range(FRAMES)),
    }
    pictures = tmp_path / 'out' / 'pictures'
    drawn = {path.relative_to(pictures).as_posix() for path in pictures.rglob('*.*')}
    assert drawn == {f'{name}.jpg' for name in STILLS} | {'clip.avi.mp4'}
    video = cv2.VideoCapture(str(tmp_path / 'out/pictures/clip.avi.mp4'))
    assert (video.get(cv2.CAP_PROP_FRAME_COUNT), video.get(cv2.CAP_PROP_FPS)) == (FRAMES, 10)


def test_detections_are_coco_results(predict, files, models):
    from mmdet.apis import inference_detector, init_detector

    result = predict('det', files / 'rgb.png', '--batch-size', 2)
    coco = COCO('out/images.json')
    found = list(coco.loadRes('out/predictions.json').anns.values())
    detector = init_detector(models / 'tiny_det.py', str(models / 'tiny_det.pth'), device='cpu')
    wanted = inference_detector(detector, str(files / 'rgb.png')).pred_instances
    boxes = np.array([annotation['bbox'] for annotation in found])
    corners = np.c_[boxes[:, :2], boxes[:, :2] + boxes[:, 2:]]
    np.testing.assert_allclose(corners, wanted.bboxes.numpy(), atol=0.02)
    names = [coco.cats[annotation['category_id']]['name'] for annotation in found]
    assert names == [detector.dataset_meta['classes'][label] for label in wanted.labels]
    scores = [annotation['score'] for annotation in found]
    np.testing.assert_allclose(scores, wanted.scores.numpy(), atol=1e-4)
    assert coco.imgs[1]['width'] == WIDTH
    assert len(result.entries['rgb.png', None]) == len(scores)


def test_masks_are_index_masks(predict, files, models, tmp_path):
    from mmseg.apis import inference_model, init_model

    result = predict('seg', files)
    segmentor = init_model(models / 'tiny_seg.py', str(models / 'tiny_seg.pth'), device='cpu')
    for name in STILLS:
        (entry,) = result.entries[name, None]
        mask = Image.open(tmp_path / 'out' / entry['mask'])
        assert (mask.mode, mask.size) == ('P', (WIDTH, HEIGHT))
        assert mask.getpalette()[:3] == segmentor.dataset_meta['palette'][0]
        wanted = inference_model(segmentor, str(files / name)).pred_sem_seg.data[0].numpy()
        assert np.array_equal(mask, wanted)
        share = (wanted == 1).mean()
        assert entry['classes'].get('square', 0) == pytest.approx(share, abs=1e-5)
    (last,) = result.entries['clip.avi', FRAMES - 1]
    assert last['mask'] == f'masks/clip.avi/{FRAMES - 1:06d}.png'
    assert (tmp_path / 'out' / last['mask']).is_file()


def test_scores_of_the_best_classes(predict, files, models):
    from mmpretrain import get_model, inference_model

    result = predict('cls', files / 'rgb.png')
    classifier = get_model(models / 'tiny_cls.py', str(models / 'tiny_cls.pth'), device='cpu')
    wanted = inference_model(classifier, str(files / 'rgb.png'))
    (entry,) = result.entries['rgb.png', None]
    assert len(entry['best']) == 5
    assert entry['best'][0]['class'] == wanted['pred_class']
    for best in entry['best']:
        assert best['score'] == pytest.approx(wanted['pred_scores'][best['label']], abs=1e-4)
        assert best['class'] == 'abcdefg'[best['label']]


def test_formats_batches_and_precision(predict, files):
    one = predict('cls', files).entries
    assert all(one[name, None] == one['rgb.png', None] for name in SAME)

    def scores(entries):
        return np.array(
            [[best['score'] for best in entry[0]['best']] for entry in entries.values()]
        )

    many = predict('cls', files, '--batch-size', 4, out='many').entries
    assert many.keys() == one.keys()
    np.testing.assert_allclose(scores(many), scores(one), atol=1e-4)
    half = scores(predict('cls', files, '--amp', out='half').entries)
    assert 0 < np.abs(half - scores(one)).max() < 0.02
    turned, upright = (scores({0: one[name, None]}) for name in ('exif.jpg', 'rgb.png'))
    np.testing.assert_allclose(turned, upright, atol=0.01)


def test_names_never_collide(predict, files):
    shutil.copytree(files / 'sub', files.parent / 'other')
    (files / 'sub' / 'rgb.bmp').write_bytes(cv2.imencode('.bmp', picture())[1].tobytes())
    inputs = [files / 'sub', files.parent / 'other' / 'rgb.png', files / 'sub' / 'rgb.png']
    result = predict('cls', *inputs)
    names = {name for name, _ in result.entries}
    assert names == {'files/sub/rgb.bmp', 'files/sub/rgb.png', 'other/rgb.png'}
    assert all(len(entries) == 1 for entries in result.entries.values())


@pytest.mark.parametrize('task', ['det', 'cls'])  # masks cover the picture
def test_pictures_keep_their_colors(predict, tmp_path, task):
    for color in ('red', 'blue'):
        Image.new('RGB', (WIDTH, HEIGHT), color).save(tmp_path / f'{color}.png')
    predict(task, tmp_path / 'red.png', tmp_path / 'blue.png')
    drawn = [Image.open(tmp_path / f'out/pictures/{color}.png.jpg') for color in ('red', 'blue')]
    red, blue = (np.asarray(picture).mean((0, 1)) for picture in drawn)
    assert red[0] > blue[0]
    assert blue[2] > red[2]


@pytest.mark.parametrize('number', [1, len(PALETTE), 2 * len(PALETTE), 1000])
def test_every_class_has_a_color(tmp_path, number):
    writer = ScoreWriter(tmp_path, {'classes': [f'class {i}' for i in range(number)]}, threshold=0)
    assert len(writer.palette) >= number


# ------------------------------------------------------------------------ what goes wrong


def test_unreadable_files_are_named_and_the_others_done(predict, files):
    whole = (files / 'cmyk.jpg').read_bytes()
    (files / 'cut.jpg').write_bytes(whole[: len(whole) // 2])
    (files / 'empty.mp4').write_bytes(b'')
    film(files / 'long.avi', 40)
    whole = (files / 'long.avi').read_bytes()
    (files / 'long.avi').write_bytes(whole[: len(whole) // 2])
    result = predict('cls', files, '--batch-size', 3, status=2)
    lines = result.err.splitlines()
    assert len(lines) == 4, lines
    assert f'image file {files}/cut.jpg: truncated' in lines[0]
    assert 'annotation file' not in lines[0]
    assert f'video file {files}/empty.mp4: not a video, or damaged' in lines[1]
    assert f'video file {files}/long.avi: breaks off after ' in lines[2]
    assert lines[3] == 'error: 3 of 11 files failed, see above'
    assert {(name, None) for name in STILLS} <= result.entries.keys()
    assert ('long.avi', 5) in result.entries


def test_results_of_another_run_are_not_overwritten(predict, files, tool, models, tmp_path):
    predict('cls', files / 'rgb.png')
    before = (tmp_path / 'out/predictions.json').read_text()
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    result = tool('predict', *model, files / 'gray.png', '--out', 'out')
    assert result.status == 2
    assert 'is not empty. Choose another folder, --resume to continue' in result.err
    assert 'or --overwrite, which starts anew' in result.err
    assert (tmp_path / 'out/predictions.json').read_text() == before
    assert predict('cls', files / 'gray.png', '--overwrite').entries.keys() == {('gray.png', None)}


def test_results_are_no_inputs(predict, files):
    inside = files / 'out'
    count = len(predict('cls', files, out=inside).entries)
    assert len(predict('cls', files, '--overwrite', out=inside).entries) == count


@pytest.fixture
def at_batch(monkeypatch):
    """``at_batch(3, action)`` calls ``action()`` before the third batch is answered."""
    answer, calls = Predictor.__call__, []

    def strike(number, action):
        def until_then(self, samples):
            calls.append(samples)
            if len(calls) == number:
                action()
            return answer(self, samples)

        monkeypatch.setattr(Predictor, '__call__', until_then)

    return strike


def throw(error):
    raise error


FAULTS = {'det': 'leave nothing of the short side', 'seg': 'leave nothing of the short side'}
FAULTS |= {'cls': 'become more than 178956970'}


@pytest.mark.parametrize('task', TASKS)
def test_pictures_that_cannot_be_resized_cost_themselves_only(predict, files, task):
    for name in ('deep_flat.png', 'sub/flat.png'):
        cv2.imwrite(str(files / name), np.zeros((1, 40000, 3), np.uint8))
    result = predict(task, files, '--batch-size', 3, status=2)
    first, second, last = result.err.splitlines()
    fault = f'its 40000 x 1 pixels {FAULTS[task]} when the pipeline resizes them'
    assert first == f'error: image file {files}/deep_flat.png: {fault}'
    assert second == f'error: image file {files}/sub/flat.png: {fault}'
    assert last == 'error: 2 of 10 files failed, see above'
    assert {(name, None) for name in STILLS} <= result.entries.keys()


def test_whatever_a_pipeline_raises_costs_one_picture(predict, files, monkeypatch):
    prepare = Predictor.prepare

    def fails(self, frame):
        is_gray = 'gray' in frame.source.name
        return throw(cv2.error('at 0,\n 0')) if is_gray else prepare(self, frame)

    monkeypatch.setattr(Predictor, 'prepare', fails)
    result = predict('cls', files, '--batch-size', 3, status=2)
    name = f'image file {files}/gray.png'
    assert result.err.startswith(f'error: {name}: the pipeline fails (error: at 0, 0)\n')
    assert {(name, None) for name in STILLS} - result.entries.keys() == {('gray.png', None)}


def test_a_batch_that_the_model_fails_on_is_named(predict, files, at_batch):
    at_batch(2, lambda: throw(torch.cuda.OutOfMemoryError('Tried to allocate 1 TiB')))
    result = predict('cls', files / 'deep.png', files / 'gray.png', files / 'rgb.png', status=2)
    text = f'{files}/gray.png: the model fails (OutOfMemoryError: Tried to allocate 1 TiB)'
    assert result.err.splitlines() == [
        f'error: image file {text}',
        'error: 1 of 3 files failed, see above',
    ]
    assert [name for name, _ in result.entries] == ['deep.png', 'rgb.png']


def test_frames_that_the_model_fails_on_are_named(predict, files, at_batch):
    at_batch(2, lambda: throw(RuntimeError('a')))
    result = predict('cls', files / 'clip.avi', '--batch-size', 2, status=2)
    frames = ', '.join(f'video file {files}/clip.avi, frame {i}' for i in (2, 3))
    assert result.err.startswith(f'error: {frames}: the model fails (RuntimeError: a)\n')
    assert [frame for _, frame in result.entries] == [0, 1, 4, 5, 6]


@pytest.mark.parametrize('part', ['prepare', '__call__'])
def test_a_model_that_never_works_ends_with_its_own_error(predict, files, monkeypatch, part):
    monkeypatch.setattr(Predictor, part, lambda *arguments: throw(RuntimeError('a bug')))
    said = predict('cls', files, status=1).err
    assert 'RuntimeError: a bug' in said
    assert said.splitlines()[-1].startswith('this looks like a bug')


# ------------------------------------------------------------------------ stopped and continued


def written(out='out'):
    """What a prediction leaves, but for its lock."""
    files = (path for path in sorted(Path(out).rglob('*')) if path.is_file())
    return {path.relative_to(out): path.read_bytes() for path in files if path.name != '.lock'}


@pytest.mark.parametrize(
    ('number', 'status'), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_keeps_what_is_done(tool, predict, models, files, at_batch, number, status):
    at_batch(FRAMES + 3, lambda: os.kill(os.getpid(), number))
    before = signal.getsignal(number)
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    try:
        stopped = tool('predict', *model, files, '--out', 'out').status
    except SystemExit as end:
        stopped = end.code
    assert stopped == status
    assert signal.getsignal(number) is before
    assert len(json.loads(Path('out/predictions.json').read_text())) == FRAMES + 2
    assert '3 of 8 files were answered before' in predict('cls', files, '--resume').out
    predict('cls', files, out='whole')
    assert written() == written('whole')


def test_under_nohup_a_hangup_changes_nothing(predict, files, at_batch, monkeypatch):
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    at_batch(3, lambda: os.kill(os.getpid(), signal.SIGHUP))
    try:
        assert '8 of 8 files' in predict('cls', files).out
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize('task', TASKS)
def test_killed_anywhere_and_continued_it_is_the_same(predict, files, task):
    predict(task, files, '--batch-size', 2, out='whole')
    lines = Path('whole/predictions.jsonl').read_bytes()
    for share in (0, 0.3, 0.75):
        shutil.copytree('whole', 'out')
        Path('out/predictions.json').unlink()
        Path('out/predictions.jsonl').write_bytes(lines[: int(share * len(lines))])
        predict(task, files, '--batch-size', 2, '--resume')
        assert written() == written('whole')
        shutil.rmtree('out')


def test_a_full_disk_loses_nothing(tool, predict, models, files, monkeypatch):
    calls, fsync = [], os.fsync

    def full(number):
        calls.extend([number] * stat.S_ISREG(os.fstat(number).st_mode))  # folders are flushed too
        if len(calls) > 14:  # two of the beginning, one of a line, one of a picture
            raise OSError(errno.ENOSPC, 'No space left on device')
        return fsync(number)

    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    with monkeypatch.context() as patch:
        patch.setattr(os, 'fsync', full)
        result = tool('predict', *model, files, '--out', 'out')
    assert result.status == 2
    stopped, error = result.err.splitlines()
    assert stopped.startswith('stopped; continue with the same command and --resume')
    assert error.endswith(' cannot be written (No space left on device)')
    assert not Path('out/predictions.json').exists()
    assert '3 of 8 files were answered before' in predict('cls', files, '--resume').out
    predict('cls', files, out='whole')
    assert written() == written('whole')


def test_what_failed_is_tried_again(predict, files):
    good = (files / 'gray.png').read_bytes()
    (files / 'gray.png').write_bytes(good[:100])
    predict('cls', files, status=2)
    (files / 'gray.png').write_bytes(good)
    assert '7 of 8 files were answered before' in predict('cls', files, '--resume').out
    predict('cls', files, out='whole')
    assert written()[Path('predictions.json')] == written('whole')[Path('predictions.json')]


def test_batches_are_those_of_a_prediction_that_was_not_stopped(predict, tmp_path, monkeypatch):
    """A picture that is tried again shares no batch with one that was far from it."""
    for i, size in enumerate([(60, 80), (80, 60), (80, 60), (60, 80)]):
        cv2.imwrite(str(tmp_path / f'{i}.png'), cv2.resize(picture(), size))
    answer, sizes = Predictor.__call__, []
    errors = {1: RuntimeError('no memory'), 3: KeyboardInterrupt()}

    def noted(self, samples):
        sizes.append(len(samples))
        return throw(errors[len(sizes)]) if len(sizes) in errors else answer(self, samples)

    monkeypatch.setattr(Predictor, '__call__', noted)
    given = [tmp_path / f'{i}.png' for i in range(4)]
    predict('det', *given, '--batch-size', 2, status=130)
    predict('det', *given, '--batch-size', 2, '--resume')
    assert sizes == [1, 2, 1, 1, 1]


def test_another_prediction_is_not_continued(tool, predict, models, files):
    predict('cls', files)
    before, name = written(), 'tiny_cls.py'
    state = torch.load(models / 'tiny_cls.pth', weights_only=False)
    state['state_dict']['head.fc.bias'] += 1
    torch.save(state, 'other.pth')
    for arguments, text in {
        (name, 'tiny_cls.pth', files, '--score-thr', 0.5): '--score-thr was 0.3, is 0.5',
        (name, Path('other.pth').absolute(), files): 'CHECKPOINT was tiny_cls.pth (',
        (
            name,
            'tiny_cls.pth',
            files / 'sub',
        ): f'the folder of the inputs was {files}/, is {files}/sub',
        (
            name,
            'tiny_cls.pth',
            files,
            '--cfg-options',
            'model.head.topk=1',
        ): 'CONFIG was tiny_cls.py',
    }.items():
        config, checkpoint, *others = arguments
        given = [models / config, models / checkpoint, *others]
        result = tool('predict', *given, '--out', 'out', '--resume')
        assert result.status == 2
        assert text in result.err
        assert '--overwrite to start anew' in result.err
    assert written() == before


def test_nothing_to_continue(tool, models, files):
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    result = tool('predict', *model, files, '--out', 'out', '--resume')
    assert result.status == 2
    assert 'no prediction to continue in' in result.err


def _hold(folder, ready):
    with folder_lock(Path(folder), '--out'):
        ready.send(None)
        ready.recv()


def test_two_predictions_into_one_folder(tool, predict, models, files, tmp_path):
    (tmp_path / 'out').mkdir()
    fork = get_context('fork')
    here, there = fork.Pipe()
    other = fork.Process(target=_hold, args=(tmp_path / 'out', there), daemon=True)
    other.start()
    here.recv()
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    result = tool('predict', *model, files, '--out', 'out')
    other.kill()
    other.join()
    assert result.status == 2
    assert f'--out {tmp_path}/out: process {other.pid} on ' in result.err
    assert not written()
    predict('cls', files)


# ------------------------------------------------------------------------ inputs


def test_a_pipe_is_refused(tool, models, files):
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    for name in ('pipe.png', 'pipe.avi'):
        os.mkfifo(files / name)
        result = tool('predict', *model, files / name, '--out', 'out')
        assert result.status == 2
        assert f'INPUT {files}/{name}: neither a regular file nor a folder' in result.err


def test_a_result_with_the_name_of_a_folder(tool, models, files):
    (files / 'rgb.png.jpg').mkdir()
    shutil.copy(files / 'gray.png', files / 'rgb.png.jpg')
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    result = tool('predict', *model, files, '--out', 'out')
    assert result.status == 2
    text = 'a result of it would have the name of the folder rgb.png.jpg beside it; rename one'
    assert f'INPUT {files}/rgb.png: {text}' in result.err


@pytest.mark.parametrize(
    ('arguments', 'text'),
    [
        (['nowhere'], 'nowhere: no such file or folder'),
        (['empty'], 'empty: no image or video there'),
        (['files', '--device', 'tpu9'], '--device tpu9: '),
        (['files', '--device', 'cuda:99'], '--device cuda:99: '),
        (['files', '--cfg-options', 'default_scope=mmocr'], 'default_scope is none of mmdet, '),
        (['files', '--cfg-options', 'model.head.num_classes=8'], 'names 7 classes (a, b, c'),
        (
            ['files', '--cfg-options', 'test_dataloader.dataset.metainfo.classes=abc'],
            'trained for 7',
        ),
        (
            ['files', '--cfg-options', 'model.backbone.arch.depth=2'],
            'is not a checkpoint of this model',
        ),
    ],
)
def test_messages(tool, models, files, arguments, text):
    (files.parent / 'empty').mkdir()
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    result = tool('predict', *model, *arguments, '--out', 'out')
    assert result.status == 2
    assert result.err.startswith('error: ')
    assert text in result.err
    assert not (files.parent / 'out' / 'predictions.json').exists()


def test_a_checkpoint_without_names(tool, models, files, tmp_path):
    state = torch.load(models / 'tiny_cls.pth', weights_only=True)['state_dict']
    torch.save(state, tmp_path / 'weights.pth')
    arguments = [models / 'tiny_cls.py', tmp_path / 'weights.pth', files / 'rgb.png']
    result = tool('predict', *arguments, '--out=out', '--cfg-options', f'{DATASET}.metainfo=None')
    assert result.status == 0, result.err
    (entry,) = json.loads((tmp_path / 'out/predictions.json').read_text())
    assert {best['class'] for best in entry['best']} < set('0123456')
