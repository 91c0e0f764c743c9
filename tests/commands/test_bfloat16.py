"""``test --precision bf16`` proves what ``predict`` then computes in, with graphs of the cache."""

from pathlib import Path

import pytest

from vitbackbones.data import shapes
from vitbackbones.export import lower_precision
from vitbackbones.running import evaluate
from vitbackbones.runtime import model as runtime

from .conftest import TINY_CLS
from .test_export import RGB, write_telling_apart
from .test_messages import refused

pytest.importorskip('openvino')
GRAPH = ('tiny_cls.py', 'tiny_cls.pth', '--runtime', 'openvino', *RGB)
PREDICT = ('predict', *GRAPH[:2], 'data/val', *GRAPH[2:], '--out', 'out', '--overwrite')
TEST = ('test', *GRAPH, '--data-root', 'data', '--precision', 'bf16')


class Losing:
    """Stands for an evaluation in which bfloat16 costs more than half a percent."""

    metric = 'accuracy/top1'
    files = range(9)

    def __init__(self, *_, **__):
        self.scores = iter([1.0, 0.994])

    def score(self, exported):
        return next(self.scores)


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A classifier, a cache of graphs, and a processor with bfloat16."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    for module in (lower_precision, runtime):
        monkeypatch.setattr(module, 'has_bfloat16', lambda: True)
    shapes.write(tmp_path / 'data', train=9, val=9, size=48, layout='folders')
    write_telling_apart(tmp_path / 'data/train')
    config = tmp_path / 'tiny_cls.py'
    resized = "LoadImage'), dict(type='Resize', scale=(48, 48))"
    config.write_text(config.read_text().replace("LoadImage')", resized))


def test_a_graph_of_the_cache_is_in_bfloat16_once_that_is_proven(tool, trained, monkeypatch):
    def runtime_of(*more):
        result = tool(*PREDICT, *more)
        assert result.status == 0, result.err
        return next(line for line in result.out.splitlines() if line.startswith('runtime: '))

    with monkeypatch.context() as losing:
        losing.setattr(evaluate, 'Validation', Losing)
        result = tool(*TEST)
    assert result.status == 2
    assert 'error: bf16 lowers accuracy/top1 from 1.0000 to 0.9940 on 9 images' in result.err
    assert runtime_of().endswith(', exported before')
    refused(tool(*PREDICT, '--precision', 'bf16'), 'its loss in bf16 was not measured')

    result = tool(*TEST)
    assert result.status == 0, result.err
    assert 'measuring bf16 and f32 on the test set' in result.out
    assert runtime_of().endswith(', exported before, in bf16')
    assert runtime_of('--precision', 'bf16').endswith(', in bf16')
    assert runtime_of('--precision', 'f32').endswith(', exported before')


def test_a_model_without_a_graph_has_no_loss_in_bfloat16(tool, trained):
    Path('tiny_cls.py').write_text(TINY_CLS.read_text())  # its images have any size
    result = tool(*TEST, '--runtime', 'auto')
    assert 'runtime: torch, because tiny_cls: the test pipeline does not set a size' in result.out
    said = 'error: --precision bf16: requires a graph, and torch runs this model\n'
    assert result.err.endswith(said)
    assert result.status == 2
