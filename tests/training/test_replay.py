"""What is drawn again is what a run has drawn, to the bit."""

import pytest
import torch
from mmengine.model import BaseDataPreprocessor
from mmengine.registry import DATASETS, MODELS
from mmengine.runner import Runner

from vitbackbones.training.replay import Replay

from .toy import IMAGES, NoisyData, ToyModel, by_iteration, loader, run_toy, toy_config

SEED = 5


@DATASETS.register_module()
class RecordedData(NoisyData):
    """Keeps which samples were drawn, and what they were."""

    seen = []

    def __getitem__(self, i):
        sample = super().__getitem__(i)
        self.seen.append((i, sample['x'].item()))
        return sample


class MixingPreprocessor(BaseDataPreprocessor):
    """Shuffles each batch, which a run does in every step, and keeps the first in training."""

    first = []

    def forward(self, data, training=False):
        order = torch.randperm(len(data['x']))
        data = {'x': [data['x'][i] + torch.rand(1) for i in order]}
        if training and not self.first:
            self.first.extend(each.item() for each in data['x'])
        return data


@MODELS.register_module()
class MixedModel(ToyModel):
    def __init__(self):
        super().__init__()
        self.data_preprocessor = MixingPreprocessor()


def config(work_dir, by_epoch, **changes):
    kind = 'DefaultSampler' if by_epoch else 'InfiniteSampler'
    order = {'sampler': {'type': kind, 'shuffle': True}, 'dataset': {'type': 'RecordedData'}}
    settings = {} if by_epoch else by_iteration(length=12)
    settings |= {
        'model': {'type': 'MixedModel'},
        'train_dataloader': loader(**order, **changes),
        'randomness': {'seed': SEED},
        'custom_hooks': [{'type': 'vitbackbones.ExactResumeHook'}],
    }
    return toy_config(work_dir, **settings)


@pytest.fixture(autouse=True)
def recorded():
    RecordedData.seen.clear()
    MixingPreprocessor.first.clear()


def replay(config, by_epoch, seed=SEED):
    return Replay(Runner.build_dataloader(config.train_dataloader, seed=seed), seed, by_epoch)


@pytest.mark.parametrize('by_epoch', [True, False])
def test_each_draw_and_the_first_batch_are_those_of_the_run(tmp_path, by_epoch):
    settings = config(tmp_path, by_epoch)
    run_toy(settings)
    seen, first = list(RecordedData.seen), list(MixingPreprocessor.first)
    again = replay(settings, by_epoch)
    places = again.first_places(range(IMAGES), 2)
    for index, at in places.items():
        drawn = [again.sample(index, place)['x'].item() for place in at]
        assert drawn == [value for i, value in seen if i == index][:2]
        assert drawn[0] != drawn[1]
    assert [x.item() for x in again.first_batch(MixingPreprocessor())['x']] == first
    assert first != [value for _, value in seen[:2]]


def test_what_no_epoch_draws_has_no_place(tmp_path):
    settings = config(tmp_path, True, batch_size=3, drop_last=True)
    settings.train_dataloader.sampler.shuffle = False
    places = replay(settings, True).first_places([0, IMAGES - 1], 2)
    assert places == {0: [(0, 0), (1, 0)], IMAGES - 1: []}
    settings.train_dataloader.batch_size = IMAGES + 1
    assert replay(settings, True).first_batch(MixingPreprocessor()) is None
