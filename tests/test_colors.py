"""Red stays red: from a file or a data set, through a config's pipelines, to the model."""

import fnmatch
import pickle
from functools import partial

import cv2
import numpy as np
import pytest
import torch
from mmengine.config import Config
from mmengine.dataset import Compose, pseudo_collate
from mmengine.registry import DATASETS, MODELS, DefaultScope

from vitbackbones.configuration.names import config_files
from vitbackbones.exact import SAMPLE, seed_generators
from vitbackbones.tasks.predictor import steps_after_loading

pytestmark = pytest.mark.compat
SIDE = 32
RED = (200, 30, 10)
CIFAR = fnmatch.filter(config_files(), 'cls_*_cifar*')


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """A red picture and a mask of one class."""
    folder = tmp_path_factory.mktemp('red')
    picture = np.full((SIDE, SIDE, 3), RED[::-1], np.uint8)
    cv2.imwrite(str(folder / 'red.png'), picture)
    cv2.imwrite(str(folder / 'mask.png'), np.ones((SIDE, SIDE), np.uint8))
    return folder


def sample(files):
    """What a data set of files says of the picture, for any task."""
    box = {'bbox': [4, 4, 20, 20], 'bbox_label': 0, 'ignore_flag': 0}
    return {
        'img_path': str(files / 'red.png'),
        'img_id': 0,
        'gt_label': 0,
        'instances': [box],
        'seg_map_path': str(files / 'mask.png'),
        'label_map': None,
        'reduce_zero_label': False,
        'seg_fields': [],
    }


def seen_by_the_model(config, drawn):
    """Mean red, green and blue (3,) of a pipeline's answer, in the values of a file."""
    preprocessor = dict(config.model.data_preprocessor)
    preprocessor.setdefault('type', 'ClsDataPreprocessor')
    built = MODELS.build(preprocessor)
    inputs = built(pseudo_collate([drawn]))['inputs']
    return (inputs[0] * built.std + built.mean).mean((-1, -2))


def mean_color(config, draw, count):
    """Over draws of a training pipeline, which may turn a picture gray or invert it."""
    colors = []
    for number in range(count):
        torch.default_generator.manual_seed(seed_generators(SAMPLE, number))
        colors.append(seen_by_the_model(config, draw()))
    return torch.stack(colors).mean(0)


def is_red(color):
    return color[0] > color[1] + 20 and color[0] > color[2] + 20


def different(pattern):
    """Of the configs of files, one for each way that pictures take."""
    configs = (Config.fromfile(name) for name in fnmatch.filter(config_files(), pattern))
    found = {}
    for config in configs:
        if 'CIFAR' not in config.train_dataloader.dataset.type:
            pipelines = [config[f'{s}_dataloader'].dataset.pipeline for s in ('train', 'test')]
            found.setdefault(repr([pipelines, config.model.data_preprocessor]), config)
    return found.values()


@pytest.mark.parametrize('pattern', ['cls_*', 'detr_*', 'retinanet_*', 'dino_*', 'setr_*'])
def test_a_red_file(pattern, files):
    for config in different(pattern):
        with DefaultScope.overwrite_default_scope(config.default_scope):
            train, test = (
                partial(Compose(config[f'{split}_dataloader'].dataset.pipeline), sample(files))
                for split in ('train', 'test')
            )
            color = seen_by_the_model(config, test())
            torch.testing.assert_close(color, torch.tensor(RED, dtype=torch.float32))
            assert is_red(mean_color(config, train, 24 if pattern[0] == 'c' else 2))


@pytest.fixture
def cifar(tmp_path, monkeypatch):
    """Folders of CIFAR-10 and CIFAR-100 with one red picture in each file, in their own form."""
    from mmpretrain.datasets import CIFAR10, CIFAR100

    monkeypatch.setattr(CIFAR10, '_check_integrity', lambda self: True)
    planes = np.repeat(np.array(RED, np.uint8), 32 * 32)[None]  # all of red, of green, of blue
    for kind, key in ((CIFAR10, 'labels'), (CIFAR100, 'fine_labels')):
        (tmp_path / kind.base_folder).mkdir()
        for name, _ in kind.train_list + kind.test_list:
            content = pickle.dumps({'data': planes, key: [0]})
            (tmp_path / kind.base_folder / name).write_bytes(content)
    return str(tmp_path)


@pytest.mark.parametrize('name', CIFAR)
def test_a_red_picture_of_cifar(name, cifar, files):
    """In training and in testing, where it arrives as a file of the same picture does."""
    config = Config.fromfile(config_files()[name])
    with DefaultScope.overwrite_default_scope(config.default_scope):
        train, test = (
            DATASETS.build({**config[f'{split}_dataloader'].dataset, 'data_root': cifar})
            for split in ('train', 'test')
        )
        color = seen_by_the_model(config, test[0])
        torch.testing.assert_close(color, torch.tensor(RED, dtype=torch.float32))
        assert is_red(mean_color(config, partial(train.__getitem__, 0), 24))
        pixels = cv2.imread(str(files / 'red.png'))
        shapes = {'img_shape': (SIDE, SIDE), 'ori_shape': (SIDE, SIDE)}
        predicted = Compose(steps_after_loading(config))
        assert torch.equal(predicted({'img': pixels, **shapes})['inputs'], test[0]['inputs'])
