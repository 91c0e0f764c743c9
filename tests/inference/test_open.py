"""``open_model``: pictures of every kind in, the same answers from every runtime."""

import shutil
import subprocess
import sys
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from PIL import Image

import vitbackbones
from tests.in_threads import wrong_answers
from tests.openmmlab.conftest import folder  # noqa: F401
from tests.runtime.graphs import write_classifier, write_detector
from vitbackbones.errors import InputError
from vitbackbones.inference import configured
from vitbackbones.inference.open import OpenModel, own_run_hints
from vitbackbones.runtime.answers import Classified
from vitbackbones.runtime.card import Card, Threshold, write_threshold
from vitbackbones.utils.orientation import ORIENTATION

SAME = {'rtol': 1e-4, 'atol': 1e-6}
AGAIN = """
import sys
missing = ('torch', 'torchvision', 'mmengine', 'mmcv', 'mmdet', 'mmseg', 'mmpretrain')
sys.modules.update(dict.fromkeys(missing))
import vitbackbones
with vitbackbones.open_model(*sys.argv[1:]) as model:
    print(model.runtime)
    print(*model.predict(["images/0.png"])[0].scores)
"""


@pytest.fixture
def place(folder, tmp_path, monkeypatch):  # noqa: F811
    """The current folder is that of the tiny models; the cache is empty."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    return folder


def test_a_graph_answers_as_torch_and_the_next_process_needs_no_torch(place):
    given = 'tiny_cls.py', 'tiny_cls.pth'
    files = sorted(Path('images').iterdir())
    with vitbackbones.open_model(*given, runtime='torch') as model:
        wanted = model.predict(files, batch_size=2)
        assert model.runtime.startswith('torch ')
    with vitbackbones.open_model(*given) as model:
        assert 'OpenVINO' in model.runtime
        assert 'exported now' in model.runtime
        for found, answer in zip(model.predict(files, batch_size=2), wanted, strict=True):
            np.testing.assert_allclose(found.scores, answer.scores, **SAME)
    command = [sys.executable, '-c', AGAIN, *given]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    runtime, scores = done.stdout.splitlines()
    assert runtime.endswith('exported before')
    np.testing.assert_allclose([*map(float, scores.split())], wanted[0].scores, **SAME)


def test_another_checkpoint_has_a_graph_of_its_own(place):
    content = torch.load('tiny_cls.pth', weights_only=True)
    for value in content['state_dict'].values():
        value.mul_(0.5)
    torch.save(content, 'changed.pth')
    for file in ('tiny_cls.pth', 'changed.pth'):
        found, wanted = (
            vitbackbones.open_model('tiny_cls.py', file, runtime=runtime).predict(['images/1.png'])
            for runtime in ('onnxruntime', 'torch')
        )
        np.testing.assert_allclose(found[0].scores, wanted[0].scores, err_msg=file, **SAME)


def test_a_config_that_asks_the_environment_is_read_each_time(place, tmp_path):
    text = Path('tiny_cls.py').read_text()
    Path('asking.py').write_text(text + "\nmodel['head']['cal_acc'] = {{'$ACC:False'}}\n")
    assert 'exported now' in vitbackbones.open_model('asking.py', 'tiny_cls.pth').runtime
    assert not [*tmp_path.rglob('graphs/*.json')]  # which the next process would trust


def test_what_cannot_be_exported_runs_in_torch_and_says_why(place, monkeypatch):
    def refuse(*_):
        raise AttributeError('model.type: Odd cannot be\nexported')

    monkeypatch.setattr(configured, 'GraphModel', refuse)
    model = vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth')
    assert model.runtime.endswith(', as model.type: Odd cannot be exported')
    with pytest.raises(InputError, match='--runtime openvino: model.type: Odd cannot'):
        vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth', runtime='openvino')


def test_a_cache_that_cannot_be_written_to_leaves_torch(place, tmp_path, monkeypatch):
    (tmp_path / 'file').touch()
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file'))
    model = vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth')
    assert model.runtime.startswith('torch ')
    assert 'Not a directory' in model.runtime


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'runtime': 'tensorrt'}, "runtime='tensorrt': must be one of 'auto', 'torch'"),
        (
            {'runtime': 'openvino', 'amp': True},
            '--runtime openvino runs only on the CPU, and not with',
        ),
        ({'tiles': 'x'}, "^tiles='x': must be an integer of at least 1"),
        ({'tiles': 0}, '^tiles=0: must be an integer of at least 1'),
        ({'score_threshold': 2}, '^score_threshold=2: must be a number from 0 to 1'),
        (
            {'score_threshold': 'high'},
            '^score_threshold=high: is neither a number from 0 to 1 nor a file',
        ),
        ({'cfg_options': ['a=1']}, '^cfg_options=.*: must be a dict'),
        ({'cfg_options': {1: 2}}, '^cfg_options: key=1: must be a string'),
    ],
)
def test_runtimes_that_cannot_be(place, options, message):
    with pytest.raises(InputError, match=message):
        vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth', **options)


def test_what_cannot_be_predicted_is_refused(place):
    with vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth', runtime='torch') as model:
        for pictures in (3, None, b'PNG', {}):
            with pytest.raises(InputError, match=f'^pictures={pictures}: must be a file, an image'):
                model.predict(pictures)
        with pytest.raises(InputError, match='^pictures=.*: must be a file, an image'):
            model.predict(BytesIO(b'PNG'))
        with pytest.raises(InputError, match='^picture 0: must be a file, .* in RGB, not bytes$'):
            model.predict([b'PNG'])
        with pytest.raises(InputError, match='^picture 0 https://a.example/b.jpg: is a web addres'):
            model.predict('https://a.example/b.jpg')
        with pytest.raises(InputError, match='^picture 0: .* is a folder. Give a list of its file'):
            model.predict(Path.cwd())
        with pytest.raises(InputError, match='^batch_size=0: must be an integer of at least 1'):
            model.predict([], batch_size=0)
    with pytest.raises(InputError, match='^the model is closed'):
        model.predict('0.png')


def test_weights_of_an_own_run_are_mentioned(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert own_run_hints('quick_detector') == own_run_hints(None) == []
    run = tmp_path / 'work_dirs' / 'quick_detector'
    run.mkdir(parents=True)
    (run / 'iter_1.pth').touch()
    (hint,) = own_run_hints('quick_detector')
    assert hint.endswith('give work_dirs/quick_detector as checkpoint')
    assert own_run_hints(None) == []


def test_pictures_are_files_arrays_or_tensors(tmp_path):
    write_classifier(tmp_path / 'model.onnx', size=(None, None))
    pixels = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
    cv2.imwrite(str(tmp_path / 'a.png'), pixels)
    tensor = torch.from_numpy(pixels[..., ::-1].copy()).permute(2, 0, 1)  # (3, H, W) in RGB
    given = [tmp_path / 'a.png', pixels, tensor, Image.open(tmp_path / 'a.png')]
    with vitbackbones.open_model(tmp_path / 'model.onnx') as model:
        assert model.classes == ['ring', 'square', 'star']
        found = [each.scores for each in model.predict(given, batch_size=4)]
        assert all(np.array_equal(found[0], each) for each in found)
        turned = tensor.permute(1, 2, 0)
        for wrong in (pixels[..., 0], pixels.astype(float), tensor[:2], turned, None):
            with pytest.raises(InputError, match='picture 0: must be a file, a Pillow image'):
                model.predict([wrong])
    with pytest.raises(InputError, match='remove the checkpoint'):
        vitbackbones.open_model(tmp_path / 'model.onnx', 'a.pth')


class Counting:
    """A model that counts the images that were prepared and not answered."""

    meta = {'classes': ['ring']}
    runtime = 'none'
    color = 'color'
    waiting = most = 0

    def prepare(self, frame):
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        return {'inputs': frame.pixels}

    def answer(self, samples):
        self.waiting -= len(samples)
        return [Classified(np.ones(1, np.float32))] * len(samples)


def test_no_more_than_a_batch_of_images_of_one_size_is_in_memory():
    model = Counting()
    images = (np.zeros((4, 4, 3), np.uint8) for _ in range(50))
    assert len(OpenModel(model, 'none').predict(images, batch_size=4)) == 50
    assert model.most == 4


def test_objects_below_the_threshold_of_the_weights_are_left_out(place):
    weights, files = Path('tiny_det.pth'), sorted(Path('images').iterdir())[:2]
    with vitbackbones.open_model('tiny_det.py', weights, runtime='torch') as model:
        everything = model.predict(files)
        assert model.threshold is None
    middle = float(np.median(np.concatenate([each.scores for each in everything])))
    try:
        write_threshold(weights, Threshold(middle, 'a test', {}))
        for given, least in ((None, middle), (0.0, 0.0)):
            how = {'runtime': 'torch', 'score_threshold': given}
            found = vitbackbones.open_model('tiny_det.py', weights, **how).predict(files)
            for answer, whole in zip(found, everything, strict=True):
                assert len(answer.boxes) == (whole.scores >= np.float32(least)).sum()
        # the note by which the next process finds the graph knows it too
        for _ in range(2):
            assert vitbackbones.open_model('tiny_det.py', weights).threshold.score == middle
    finally:
        Path(f'{weights}.threshold.json').unlink()


def test_a_threshold_that_comes_later_is_found_beside_weights_with_a_name(place, monkeypatch):
    weights = Path('downloads', 'tiny_cls.pth').absolute()
    weights.parent.mkdir()
    shutil.copy('tiny_cls.pth', weights)
    monkeypatch.setattr(configured, 'choose_checkpoint', lambda *_: weights)  # of any name
    opened = [vitbackbones.open_model('tiny_cls.py', 'published', runtime='onnxruntime')]
    write_threshold(weights, Threshold(0.5, 'a test'))
    opened.append(vitbackbones.open_model('tiny_cls.py', 'published', runtime='onnxruntime'))
    assert [each.threshold and each.threshold.score for each in opened] == [None, 0.5]


def test_an_exported_file_has_its_threshold_in_its_card(tmp_path):
    found = {'boxes': np.zeros((1, 3, 4), np.float32), 'labels': np.array([[0, 1, 1]])}
    found['boxes'][..., 2:] = 8
    found['scores'] = np.array([[0.9, 0.7, 0.2]], np.float32)
    file = tmp_path / 'model.onnx'
    write_detector(file, found, classes=['cat', 'dog'])
    pixels = np.zeros((16, 16, 3), np.uint8)
    assert len(vitbackbones.open_model(file).predict([pixels])[0].boxes) == 3
    card = replace(Card.read(file), threshold=asdict(Threshold(0.5, 'a test', {'dog': 0.8})))
    card.write(file)
    assert vitbackbones.open_model(file).predict([pixels])[0].labels.tolist() == [0]
    replace(card, threshold={'score': 7}).write(file)
    with pytest.raises(InputError, match='threshold: '):
        vitbackbones.open_model(file)


MODES = {
    'RGB': ('a.png', np.uint8, 1),
    'gray': ('a.png', np.uint8, 1),
    '16 bits': ('a.png', np.uint16, 257),
    '16 bits in a TIFF': ('a.tif', np.uint16, 257),
}


@pytest.mark.parametrize('orientation', [1, 3, 6, 8])
@pytest.mark.parametrize('mode', MODES)
def test_an_image_of_pillow_answers_as_its_file(place, tmp_path, mode, orientation):
    name, kind, factor = MODES[mode]
    pixels = np.random.default_rng(1).integers(0, 256, (24, 40), np.uint8)
    image, exif = Image.fromarray(pixels.astype(kind) * factor), Image.Exif()
    image = image.convert('RGB') if mode == 'RGB' else image
    exif[ORIENTATION] = orientation
    image.save(tmp_path / name, exif=exif)
    with vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth', runtime='torch') as model:
        by_path, opened = model.predict([tmp_path / name, Image.open(tmp_path / name)])
        np.testing.assert_allclose(opened.scores, by_path.scores, **SAME)
        assert model.weights.endswith('tiny_cls.pth')


@pytest.mark.parametrize('mode', ['F', 'I'])
def test_values_of_unknown_range_are_refused(place, mode):
    model = vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth', runtime='torch')
    with pytest.raises(InputError, match=r'picture 0: it has .* 8 or 16 bits'):
        model.predict([Image.new(mode, (32, 32))])


def test_one_picture_alone_is_taken_as_a_list_of_it(place):
    pixels = np.random.default_rng(2).integers(0, 256, (32, 32, 3), np.uint8)
    cv2.imwrite('one.png', pixels)
    rgb = torch.from_numpy(pixels[..., ::-1].copy()).permute(2, 0, 1)
    with vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth', runtime='torch') as model:
        [wanted] = model.predict(['one.png'])
        for one in ('one.png', Path('one.png'), pixels, rgb, Image.open('one.png')):
            [found] = model.predict(one)
            assert np.array_equal(found.scores, wanted.scores)
        assert len(model.predict(np.stack([pixels] * 3))) == 3
        assert len(model.predict(iter([pixels]))) == 1
        with pytest.raises(InputError, match='picture 0: must be a file, a Pillow image'):
            model.predict(pixels[..., 0])


@pytest.mark.parametrize('runtime', ['torch', 'openvino', 'onnxruntime'])
def test_threads_that_share_a_model_get_the_answers_for_their_own_pictures(place, runtime):
    rng = np.random.default_rng(0)
    pictures = [rng.integers(0, 256, (32, 32, 3), np.uint8) for _ in range(12)]
    with vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth', runtime=runtime) as model:
        found = wrong_answers(lambda each: model.predict([each])[0].scores, pictures)
    assert found == [0, 0, 0, 0]


def test_threads_that_ask_a_model_first_at_the_same_time_export_it_once(place, capfd):
    """The model is opened from the cache, which has no graph for this size yet."""
    pictures = [np.full((32, 32, 3), 60 * i, np.uint8) for i in range(1, 4)]
    with vitbackbones.open_model('tiny_cls.py', 'tiny_cls.pth') as model:
        found = wrong_answers(lambda each: model.predict([each])[0].scores, pictures, answers=5)
    assert found == [0, 0, 0, 0]
    assert capfd.readouterr().err.count(': about half a minute, only once') == 1
