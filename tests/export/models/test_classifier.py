"""Classifiers as one graph: the logits that softmax makes the toolbox's scores of."""

import torch
from mmengine.registry import MODELS, DefaultScope

from tests.commands.conftest import TINY_CLS
from vitbackbones.configuration.read import read_config
from vitbackbones.configuration.settings import model_settings
from vitbackbones.export.models import exportable


@torch.no_grad()
def test_logits_are_those_of_the_scores_that_the_toolbox_gives():
    config = read_config(TINY_CLS)
    with DefaultScope.overwrite_default_scope(config.default_scope):
        model = MODELS.build(model_settings(config)).eval()
    network = exportable(model, 'classification')
    assert (network.outputs, network.fixed_size) == (('logits',), '')
    image = torch.rand(2, 3, 48, 48)
    (logits,) = network(image)
    scores = torch.stack([sample.pred_score for sample in model(image, mode='predict')])
    torch.testing.assert_close(logits.softmax(1), scores)
