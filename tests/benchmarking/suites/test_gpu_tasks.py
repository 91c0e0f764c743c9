"""The training steps of the suite for GPUs: both forms are the same network, and train."""

from argparse import Namespace
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from mmcv.cnn.bricks.transformer import MultiheadAttention

from vitbackbones.benchmarking.model_sources import SOURCES
from vitbackbones.benchmarking.suites.gpu_jobs import Jobs
from vitbackbones.benchmarking.suites.gpu_plan import PLANS
from vitbackbones.benchmarking.suites.gpu_tasks import (
    TASKS,
    build_detr,
    build_setr,
    compile_layers,
)
from vitbackbones.tasks.detection import fused_attention

CPU = torch.device('cpu')
PLAN = replace(PLANS['cpu'], logits=(), maps=())


@pytest.fixture(scope='module')
def jobs():
    options = Namespace(device=CPU, repeats=1, warm_up=0)
    return Jobs(PLAN, options, SOURCES, None)


@pytest.mark.parametrize('task', TASKS)
def test_both_forms_take_a_training_step(jobs, task):
    (job,) = (job for job in jobs.tasks('eager') if job.name == f'{task} eager')
    theirs, ours = job.rows()
    assert [theirs['form'], ours['form']] == [TASKS[task].theirs, 'ours']
    assert 'error' not in theirs | ours
    assert theirs['ratio'] == 1.0


def test_attention_of_the_tasks_is_looked_at(jobs, monkeypatch):
    # as on a GPU
    monkeypatch.setattr(fused_attention, 'chunked_attention', F.scaled_dot_product_attention)
    detr, setr = (list(job.rows()) for job in jobs.attention('float32'))
    masked = [row for row in detr if row['mask']]
    assert {row['mask_stride'] for row in masked} == {1}
    assert {row['dropout'] for row in detr} == {0.1}
    assert [(row['subject'], row['kernel'], row['calls']) for row in setr] == [('setr', 'flash', 4)]


def test_the_forms_hold_the_same_weights():
    theirs, ours = (build_detr(own, narrow=True).state_dict() for own in (False, True))
    assert theirs.keys() == ours.keys()
    assert all(torch.equal(theirs[key], ours[key]) for key in theirs)
    # mmcv keeps what it is given as the default of all later attentions
    assert MultiheadAttention(16, 2).dropout_layer.p == 0
    theirs, ours = (build_setr(own, narrow=True).eval().backbone for own in (False, True))
    image = torch.randn(1, 3, 512, 512)
    with torch.inference_mode():
        for expected, actual in zip(theirs(image), ours(image), strict=True):
            torch.testing.assert_close(actual, expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(
    ('build', 'own', 'layers'),
    [(build_detr, False, 2), (build_detr, True, 2), (build_setr, True, 9)],
)
def test_a_compiled_step_compiles_transformer_layers_and_heads(build, own, layers):
    model = build(own, narrow=True)
    with torch._dynamo.config.patch(cache_size_limit=8):  # which is raised
        compile_layers(model)
    assert sum('forward' in vars(module) for module in model.modules()) == layers
