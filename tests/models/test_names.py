"""The list of names."""

from vitbackbones import list_models
from vitbackbones.models import MODELS


def test_all_names_are_listed_in_order():
    assert list_models() == sorted(MODELS) == list_models('')


def test_patterns_choose_and_leave_out():
    assert list_models('tnt*') == ['tnt_b', 'tnt_s', 'tnt_s_legacy', 'tnt_s_se', 'tnt_ti']
    assert list_models(['tnt_?', 'pvt_t'], exclude_filters='*_b') == ['pvt_t', 'tnt_s']
    assert list_models('tnts*') == []
