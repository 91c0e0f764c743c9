"""The suite of all runtimes: the forms of each model in turns, none that answers otherwise."""

from argparse import Namespace

import pytest
import torch
from torch import nn

from vitbackbones.benchmarking.model_sources import SOURCES
from vitbackbones.benchmarking.suites import export
from vitbackbones.commands.config_sources import CONFIG_SOURCES
from vitbackbones.errors import InputError
from vitbackbones.models import list_models
from vitbackbones.trained import trained_weights

from ..toy import build


def measure(*models, **sources):
    sources = dict.fromkeys([*SOURCES, *CONFIG_SOURCES], build) | sources
    options = {'size': [(4, 4)], 'batch': [2], 'repeats': 1, 'warm_up': 0, 'features': False}
    device = torch.device('cpu')
    return list(export.rows(Namespace(**options, models=models, device=device), sources))


def test_a_group_has_all_forms_of_a_model():
    rows = measure('tnt_s', 'detr_aug_vit_s_shapes')
    forms = ['ours', 'fused', 'compiled', 'onnxruntime', 'openvino']
    of_config = ['config', 'config_fused', 'config_compiled']
    of_config += ['config_onnxruntime', 'config_openvino']
    named = [f'{form}:tnt_s' for form in forms]
    assert [row['form'] for row in rows] == [
        *named,
        *(f'{form}:detr_aug_vit_s_shapes' for form in of_config),
    ]
    assert all(row['ratio'] == 1 for row in rows[::5])


class Twice(nn.Module):
    def __init__(self, *given):
        super().__init__()
        self.model = build(*given)

    def forward(self, image):
        return 2 * self.model(image)


@pytest.mark.parametrize('source', ['openvino', 'config_openvino'])
def test_a_form_that_answers_otherwise_is_refused(source):
    name = 'tnt_s' if source == 'openvino' else 'detr_aug_vit_s_shapes'
    with pytest.raises(InputError, match=f'{source}:{name}: its answers differ'):
        measure(name, **{source: Twice})


def test_a_model_that_it_lacks_is_refused():
    with pytest.raises(InputError, match='vgg: not in the suite; it has aug_vit_s'):
        measure('vgg')


def test_its_models_can_be_built():
    assert {*export.CLASSIFIERS} <= {*list_models()}
    assert {*export.CONFIGS} <= {*trained_weights()}
