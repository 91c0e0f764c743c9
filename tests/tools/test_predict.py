"""tools/predict.py on every kind of file: what it writes, refuses and keeps."""

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image
from pycocotools.coco import COCO

from vitbackbones.engine.predictor import Predictor

from ..inference.conftest import write

pytestmark = pytest.mark.compat
TASKS = ('det', 'seg', 'cls')
STILLS = ('cmyk.jpg', 'deep.png', 'exif.jpg', 'grey.png', 'rgb.png', 'rgba.png', 'sub/rgb.png')
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
    for mode, name in (('L', 'grey.png'), ('RGBA', 'rgba.png'), ('CMYK', 'cmyk.jpg')):
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
    assert len(lines) == 4
    assert f'image file {files}/cut.jpg: truncated' in lines[0]
    assert 'annotation file' not in lines[0]
    assert f'video file {files}/empty.mp4: not a video, or damaged' in lines[1]
    assert f'video file {files}/long.avi: breaks off after ' in lines[2]
    assert lines[3] == 'error: 3 of 11 files could not be read, see above'
    assert {(name, None) for name in STILLS} <= result.entries.keys()
    assert ('long.avi', 5) in result.entries


def test_results_of_another_run_are_not_overwritten(predict, files, tool, models, tmp_path):
    predict('cls', files / 'rgb.png')
    before = (tmp_path / 'out/predictions.json').read_text()
    model = models / 'tiny_cls.py', models / 'tiny_cls.pth'
    result = tool('predict', *model, files / 'grey.png', '--out', 'out')
    assert result.status == 2
    assert 'is not empty' in result.err
    assert (tmp_path / 'out/predictions.json').read_text() == before
    assert predict('cls', files / 'grey.png', '--overwrite').entries.keys() == {('grey.png', None)}


def test_results_are_no_inputs(predict, files):
    inside = files / 'out'
    count = len(predict('cls', files, out=inside).entries)
    assert len(predict('cls', files, '--overwrite', out=inside).entries) == count


def test_ctrl_c_keeps_what_is_done(predict, files, monkeypatch):
    answer, calls = Predictor.__call__, []

    def until_stopped(self, samples):
        calls.append(samples)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return answer(self, samples)

    monkeypatch.setattr(Predictor, '__call__', until_stopped)
    assert len(predict('cls', files, status=130).entries) == 2


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
