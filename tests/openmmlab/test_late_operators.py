"""Operators for modules that were imported before there were any."""

import sys
from types import ModuleType

import mmcv.ops
import pytest

from vitbackbones.openmmlab.late_operators import complete

HEAD = """
from mmengine.model import BaseModule

missed = 'a name of its own'
try:
    from mmcv.ops import no_such_operator, nms
    from mmcv.ops.roi_align import roi_align as align

    from .other import missed
except ImportError:
    nms = align = None
try:
    from mmcv.nothing import none
except ImportError:
    none = None
try:
    from mmdet.models.losses import no_such_model, FocalLoss as Base
except ImportError:
    Base = BaseModule


class Loss(Base):
    pass
"""


@pytest.fixture
def head(monkeypatch, tmp_path):
    """A module of mmdet that was imported while mmcv had no operators."""
    source = tmp_path / 'head.py'
    source.write_text(HEAD.replace('no_such_operator, ', '').replace('no_such_model, ', ''))
    head, other = ModuleType('mmdet.late.head'), ModuleType('mmdet.late.other')
    head.__package__, head.__file__ = 'mmdet.late', str(source)
    other.missed = 'of the other module'
    exec(HEAD, vars(head))
    assert (head.nms, head.align, head.missed) == (None, None, 'a name of its own')
    for module in (head, other):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return head


def test_what_a_module_tried_to_import_with_operators_is_there(head):
    complete(head)
    assert head.nms is mmcv.ops.nms
    assert head.align is mmcv.ops.roi_align
    assert head.missed == 'of the other module'
    assert head.none is None
    assert head.Loss(gamma=3.0).gamma == 3.0
