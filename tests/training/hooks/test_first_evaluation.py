"""Evaluation is tried before the first step: on one picture, without a trace in the run."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from mmengine.evaluator import BaseMetric, Evaluator
from mmengine.runner import ValLoop
from torch import nn

from vitbackbones.training.hooks.first_evaluation import FirstEvaluationHook


class Counted(BaseMetric):
    fails = False

    def process(self, data_batch, data_samples):
        torch.rand(1), np.random.rand(), random.random()
        self.results.append(data_samples)
        if self.fails:
            raise KeyError('ori_shape')

    def compute_metrics(self, results):
        raise AssertionError('nothing is known of this metric')


class Model(nn.Module):
    def val_step(self, batch):
        assert not self.training
        return batch


def runner(metric):
    loop = ValLoop.__new__(ValLoop)
    loop._dataloader = loop.dataloader = SimpleNamespace(dataset=[3, 4], collate_fn=list)
    loop.evaluator = Evaluator([metric])
    return SimpleNamespace(val_loop=loop, model=Model(), iter=0, cfg={'default_scope': 'mmdet'})


def test_one_picture_is_predicted_and_nothing_of_it_stays():
    metric, states = Counted(), []
    run = runner(metric)
    for _ in range(2):
        states.append((torch.get_rng_state().tolist(), random.getstate(), np.random.get_state()[2]))
        FirstEvaluationHook().before_train(run)
    assert states[0] == states[1]
    assert run.model.training
    assert metric.results == []


def test_a_metric_that_fails_stops_before_the_first_step():
    metric = Counted()
    metric.fails = True
    with pytest.raises(KeyError):
        FirstEvaluationHook().before_train(runner(metric))
    run = runner(metric)
    run.iter = 1  # a run that goes on has evaluated before
    FirstEvaluationHook().before_train(run)
