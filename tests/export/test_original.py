"""What is exported of a model on its way into the cache."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from mmengine.config import Config

from vitbackbones.export import writing
from vitbackbones.export.writing import Original


@pytest.mark.parametrize(
    ('name', 'dynamic', 'size'),
    [('any', ('batch', 'size'), None), ('32x48', ('batch',), (32, 48))],
)
def test_a_graph_has_the_format_of_the_runtime_and_the_size_of_its_name(
    monkeypatch, tmp_path, name, dynamic, size
):
    name = writing.ANY if name == 'any' else name
    made = []
    monkeypatch.setattr(
        writing, 'export', lambda *given, elsewhere: made.append((*given, elsewhere))
    )
    model = Original(Config(), Path('a.pth'), 'openvino')
    vars(model)['subject'] = 'the subject'
    sealed = []
    graphs = SimpleNamespace(file=lambda name: tmp_path / name, seal=sealed.append)
    model.export(graphs, name)
    ((subject, settings, file, elsewhere),) = made
    assert not elsewhere  # graphs of the cache are run here alone
    assert (subject, file, sealed) == ('the subject', tmp_path / name, [name])
    assert (settings.format, settings.dynamic, settings.size) == ('openvino', dynamic, size)
