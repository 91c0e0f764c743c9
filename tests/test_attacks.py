"""No file runs code, crashes the process or ends in a traceback, on whatever path it is loaded."""

import io
import multiprocessing
import pickle
import shutil
from contextlib import suppress
from dataclasses import replace
from importlib import import_module

import huggingface_hub
import mmengine
import numpy as np
import pytest
import torch
from mmengine.config import Config
from mmengine.model import PretrainedInit
from mmengine.registry import DefaultScope
from mmengine.runner import CheckpointLoader
from torch import nn

from vitbackbones.backbones import ViT
from vitbackbones.backbones.by_name import create_model
from vitbackbones.errors import InputError
from vitbackbones.openmmlab.loading import Pretrained
from vitbackbones.preparing.pretrained import prepare_pretrained
from vitbackbones.tasks.predictor import Predictor
from vitbackbones.training.find_checkpoint import find_checkpoint
from vitbackbones.weights import PUBLISHED
from vitbackbones.weights.filling import load_anywhere, load_pretrained
from vitbackbones.weights.read.load import load_file
from vitbackbones.weights.trained import trained_weights

from . import attacks
from .attacks import ATTACKS, CANARY, CODE, FREE
from .openmmlab.conftest import write as write_models
from .tasks.classification.test_distillation import student
from .training.toy import run_toy, toy_config
from .weights.server import serving

pytestmark = pytest.mark.compat

# For the paths on which a model is built each time.
WORST = (
    'mkdir in a zip',
    'mkdir in the old format',
    'mkdir as a plain pickle',
    'pointers in a loss history',
    'storage larger than its record',
    'offsets out of range',
)


@pytest.fixture(autouse=True)
def _nothing_ran():
    """End every test with the question whether any code of a file ran."""
    yield
    ran = CANARY.exists()
    if ran:
        CANARY.rmdir()
    assert not ran


def use_all(files, results):
    """Load every file and use what comes, as saving and messages do."""
    for key, file in files.items():
        try:
            content = load_file(file)
            torch.save(content, io.BytesIO())
            results[key] = f'loaded {content!r}'
        except InputError as error:
            results[key] = str(error)
        except Exception as error:
            results[key] = f'traceback {error!r}'


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """The file of each attack, tried before in another process, which may crash."""
    files = attacks.write(tmp_path_factory.mktemp('attacks'))
    with multiprocessing.get_context('fork').Manager() as manager:
        results = manager.dict()
        process = multiprocessing.get_context('fork').Process(target=use_all, args=(files, results))
        process.start()
        process.join(timeout=100)
        process.kill()  # unless it has ended
        process.join()
        last = list(files)[len(results)] if len(results) < len(files) else None
        assert process.exitcode == 0, f'the process died or hung: {last}'
        results = dict(results)
    assert {k: r for k, r in results.items() if not r.startswith(str(files[k]))} == {}
    return files


def all_refused(load, files):
    """Whether ``load`` answers every file with an ``InputError``."""
    for key, file in files.items():
        try:
            load(file)
        except InputError as error:
            if ' downloaded' not in str(error):  # it came, and was refused for what it contains
                continue
            raise AssertionError(f'{key}: {error}') from error
        except Exception as error:
            raise AssertionError(f'{key}: {error!r}') from error
        raise AssertionError(f'{key}: was loaded')


# ------------------------------------------------------------------------ the attacks themselves


@pytest.mark.parametrize('key', [*FREE])
def test_free_unpickling_would_run_them(key, tmp_path):
    (file,) = attacks.write(tmp_path, [key]).values()
    by_torch = 'old format' in key or file.read_bytes().startswith(b'PK')
    with suppress(Exception):  # what comes after the attack
        torch.load(file, weights_only=False) if by_torch else pickle.loads(file.read_bytes())
    CANARY.rmdir()  # it is there


# ------------------------------------------------------------------------ light paths: all attacks


@pytest.fixture(scope='module')
def runner(tmp_path_factory):
    """A run that is complete and can load again."""
    return run_toy(toy_config(tmp_path_factory.mktemp('toy')))


@pytest.fixture
def server(files, tmp_path, monkeypatch):
    folder = next(iter(files.values())).parent
    with serving(folder, tmp_path, monkeypatch) as address:
        yield address


def by_config(file):
    backbone = ViT(arch={'embed_dims': 8, 'depth': 1, 'num_heads': 2}, img_size=32)
    backbone.init_cfg = {'type': 'Pretrained', 'checkpoint': str(file)}
    backbone.init_weights()


LIGHT = {
    'load_file': load_file,
    'load_pretrained': lambda file: load_pretrained(nn.Linear(1, 1), file),
    'the loader of mmengine': lambda file: CheckpointLoader.load_checkpoint(str(file)),
    'mmengine.runner.load_checkpoint': lambda file: mmengine.runner.load_checkpoint(
        nn.Linear(1, 1), str(file)
    ),
    'an address file://': lambda file: load_anywhere(f'file://{file}'),
    'file:// in mmengine': lambda file: CheckpointLoader.load_checkpoint(f'file://{file}'),
    "init_cfg of mmengine's Pretrained": lambda file: PretrainedInit(str(file))(nn.Linear(1, 1)),
    'init_cfg of ours': by_config,
}


@pytest.mark.parametrize('path', LIGHT)
def test_every_attack_is_refused_by(path, files):
    all_refused(LIGHT[path], files)


def test_every_attack_is_refused_from_a_server(files, server):
    all_refused(lambda file: load_anywhere(f'{server}/{file.name}'), files)
    all_refused(lambda file: CheckpointLoader.load_checkpoint(f'{server}/{file.name}'), files)


def test_every_attack_is_refused_from_the_hub(files, monkeypatch):
    monkeypatch.delenv('HF_HUB_OFFLINE', raising=False)

    def load(file):
        monkeypatch.setattr(huggingface_hub, 'hf_hub_download', lambda *_, **options: str(file))
        load_anywhere('hf-hub:a/b')

    all_refused(load, files)


def by_auto(name):
    options = {'type': 'Pretrained', 'checkpoint': f'nowhere/{name}.pth'}
    config = Config({'model': {'backbone': {'type': 'vitbackbones.ViT', 'init_cfg': options}}})
    return prepare_pretrained(config, 'auto').model.backbone.init_cfg.checkpoint


@pytest.mark.parametrize('source', [str, by_auto], ids=['name', 'auto'])
def test_every_attack_is_refused_as_published_weights(source, files, server, monkeypatch):
    row = replace(PUBLISHED['deit_s'], sha256=None)

    def load(file):
        monkeypatch.setitem(PUBLISHED, 'deit_s', replace(row, url=f'{server}/{file.name}'))
        Pretrained(source('deit_s'))(nn.Linear(1, 1))

    all_refused(load, files)


def test_every_attack_is_refused_in_a_published_folder(files, tmp_path):
    def load(file):
        shutil.copy(file, tmp_path / 'model.safetensors')
        load_file(find_checkpoint(str(tmp_path), 'CHECKPOINT'))

    all_refused(load, files)


def test_every_attack_is_refused_among_the_trained_weights(files, tmp_path, monkeypatch):
    monkeypatch.setattr('vitbackbones.weights.trained.FOLDER', tmp_path)

    def load(file):
        shutil.copy(file, tmp_path / 'quick_detector.safetensors')
        CheckpointLoader.load_checkpoint(str(trained_weights()['quick_detector']))

    all_refused(load, files)


def test_every_attack_is_refused_by_a_run(files, runner):
    all_refused(lambda file: runner.resume(str(file)), files)
    all_refused(lambda file: runner.load_checkpoint(str(file)), files)


# ------------------------------------------------------------------------ heavy paths: the worst


@pytest.fixture(scope='module')
def models(tmp_path_factory):
    return write_models(tmp_path_factory.mktemp('models'))


def calling(module, name):
    """The function of a toolbox, or class of inferencers, that loads a model."""

    def load(config, file):
        getattr(import_module(module), name)(config, file, device='cpu')

    load.__name__ = name
    return load


def predict(config, file):
    Predictor(Config.fromfile(config), file, torch.device('cpu'))


HEAVY = {
    'det': (
        calling('mmdet.apis', 'init_detector'),
        calling('mmdet.apis', 'DetInferencer'),
        predict,
    ),
    'seg': (calling('mmseg.apis', 'init_model'), calling('mmseg.apis', 'MMSegInferencer'), predict),
    'cls': (
        calling('mmpretrain', 'get_model'),
        calling('mmpretrain', 'ImageClassificationInferencer'),
        predict,
    ),
}
PAIRS = [(task, function) for task, functions in HEAVY.items() for function in functions]


@pytest.mark.parametrize(('task', 'function'), PAIRS)
def test_the_worst_are_refused_by(task, function, files, models):
    config = str(models / f'tiny_{task}.py')
    all_refused(lambda file: function(config, str(file)), {key: files[key] for key in WORST})


# ------------------------------------------------------------------------ the text of a config


@pytest.fixture
def program(models, tmp_path):
    """``program(task)`` is a checkpoint whose config would run."""

    def make(task):
        checkpoint = torch.load(models / f'tiny_{task}.pth', weights_only=True)
        checkpoint['meta'] |= {'cfg': CODE, 'config': CODE}
        checkpoint['message_hub'] = {'runtime_info': {'cfg': CODE}}
        torch.save(checkpoint, tmp_path / 'program.pth')
        return str(tmp_path / 'program.pth')

    return make


@pytest.mark.parametrize(('task', 'function'), PAIRS)
def test_the_text_of_a_config_does_not_run(task, function, program, models):
    function(str(models / f'tiny_{task}.py'), program(task))


@pytest.mark.parametrize('task', ['det', 'seg'])
def test_an_inferencer_asks_for_the_config(task, program):
    with pytest.raises(
        InputError, match=r'program\.pth: .*Inferencer requires the config of these'
    ):
        HEAVY[task][1](None, program(task))


@pytest.mark.parametrize('place', [('meta', 'config'), ('meta', 'cfg')])
def test_the_text_of_a_config_does_not_run_on_resuming(place, runner, tmp_path):
    checkpoint = torch.load(f'{runner.work_dir}/epoch_3.pth', weights_only=False)
    checkpoint[place[0]][place[1]] = CODE
    checkpoint['message_hub']['runtime_info']['cfg'] = CODE
    torch.save(checkpoint, tmp_path / 'epoch_3.pth')
    runner.resume(str(tmp_path / 'epoch_3.pth'))
    assert runner.epoch == 3
    assert CODE not in (runner.message_hub.get_info('cfg'), runner.cfg.pretty_text)


# ------------------------------------------------------------------------ other paths


@pytest.mark.parametrize(
    'load',
    [
        lambda file: create_model('sret_t', checkpoint=file),
        lambda file: student(teacher_checkpoint=str(file)).teacher,
    ],
    ids=['create_model', 'teacher_checkpoint'],
)
def test_the_worst_are_refused_as(load, files):
    with DefaultScope.overwrite_default_scope('mmpretrain'):
        all_refused(load, {key: files[key] for key in WORST})


@pytest.mark.parametrize('suffix', ['yaml', 'yml'])
def test_yaml_is_data(suffix, tmp_path):
    file = tmp_path / f'annotations.{suffix}'
    file.write_text('a: [1, b]')
    assert mmengine.load(file) == {'a': [1, 'b']}
    for content in (f'!!python/object/apply:os.mkdir [{CANARY}]', 'a: [', '[' * 10**5):
        file.write_text(content)
        with pytest.raises(InputError, match='is not YAML with plain data only'):
            mmengine.load(file)


@pytest.mark.parametrize('suffix', ['pkl', 'pickle'])
def test_pickled_annotations_are_data(suffix, tmp_path):
    file = tmp_path / f'annotations.{suffix}'
    data = {'data_list': [{'boxes': np.ones((2, 4), np.float32), 'id': 1}], 'metainfo': {}}
    for protocol in (2, 3, 4):
        file.write_bytes(pickle.dumps(data, protocol))
        loaded = mmengine.load(file)
        assert loaded['data_list'][0]['boxes'].tolist() == np.ones((2, 4)).tolist()
    for key in ('mkdir as a plain pickle', 'mkdir as text'):
        file.write_bytes(ATTACKS[key][1])
        with pytest.raises(InputError, match='a .pkl file that the config names: '):
            mmengine.load(file)
