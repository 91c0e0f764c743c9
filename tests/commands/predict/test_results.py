"""What ``predict`` writes of every kind of file."""

import shutil

import cv2
import numpy as np
import pytest
from PIL import Image
from pycocotools.coco import COCO

from .pictures import FRAMES, HEIGHT, STILLS, TASKS, WIDTH, picture, written

pytestmark = pytest.mark.compat
SAME = ('deep.png', 'rgba.png', 'sub/rgb.png')  # the very pixels of rgb.png


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


def test_pictures_without_any_object_are_explained(predict, files):
    said = 'no object has a score of at least'
    result = predict('det', files / 'rgb.png', '--score-threshold', 1, out='none')
    assert f'{said} 1 (--score-threshold), so none is drawn. Lower' in result.err
    assert said not in predict('det', files / 'rgb.png', '--score-threshold', 0, out='all').err
    assert said not in predict('seg', files / 'rgb.png', out='masks').err


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


def scores(entries):
    return np.array([[best['score'] for best in entry[0]['best']] for entry in entries.values()])


def test_formats_batches_and_precision(predict, files):
    one = predict('cls', files).entries
    assert all(one[name, None] == one['rgb.png', None] for name in SAME)
    many = predict('cls', files, '--batch-size', 4, out='many').entries
    assert many.keys() == one.keys()
    np.testing.assert_allclose(scores(many), scores(one), atol=1e-4)
    half = scores(predict('cls', files, '--amp', out='half').entries)
    assert 0 < np.abs(half - scores(one)).max() < 0.02
    turned, upright = (scores({0: one[name, None]}) for name in ('exif.jpg', 'rgb.png'))
    np.testing.assert_allclose(turned, upright, atol=0.01)


def test_the_fused_form_predicts_nearly_the_same(predict, files):
    plain, fused = (
        scores(predict('cls', files / 'rgb.png', *options, out=out).entries)
        for out, options in (('plain', []), ('fused', ['--fused', 'bfloat16']))
    )
    assert 0 < np.abs(fused - plain).max() < 0.02


def test_names_never_collide(predict, files):
    shutil.copytree(files / 'sub', files.parent / 'other')
    (files / 'sub' / 'rgb.bmp').write_bytes(cv2.imencode('.bmp', picture())[1].tobytes())
    inputs = [files / 'sub', files.parent / 'other' / 'rgb.png', files / 'sub' / 'rgb.png']
    result = predict('cls', *inputs)
    names = {name for name, _ in result.entries}
    assert names == {'files/sub/rgb.bmp', 'files/sub/rgb.png', 'other/rgb.png'}
    assert all(len(entries) == 1 for entries in result.entries.values())


def test_without_pictures_all_else_is_the_same(predict, files, tmp_path):
    predict('seg', files, out='whole')
    said = predict('seg', files, '--no-pictures').out
    assert said.endswith(f'8 of 8 files: predictions.json in {tmp_path}/out\n')
    whole, bare = written('whole'), written()
    assert {name.parts[0] for name in whole.keys() - bare.keys()} == {'pictures'}
    differing = {str(name) for name in bare if bare[name] != whole[name]}
    assert differing == {'settings.json'}
