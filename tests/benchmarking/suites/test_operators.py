"""The suite of mmcv's operators: every case runs, and the extension comes from a folder."""

from argparse import Namespace

import pytest
import torch

from vitbackbones.benchmarking.suites import operators
from vitbackbones.errors import InputError


def options(**given):
    return Namespace(
        **{'compiled': None, 'device': torch.device('cpu'), 'repeats': 1, 'warm_up': 0, **given}
    )


def test_every_operator_gets_a_row_for_each_form(monkeypatch):
    monkeypatch.setattr(operators, 'LEVELS', ((6, 8), (3, 4)))
    found = list(operators.rows(options(), {}))
    assert {row['operator'] for row in found} == {*operators.CASES}
    assert [row['form'] for row in found if row['operator'].startswith('ms_')] == [
        'mmcv in Python', 'ours',
    ]  # fmt: skip
    assert all(row['median_ms'] > 0 for row in found)


def test_a_folder_without_the_extension_is_named(tmp_path):
    with pytest.raises(InputError, match=r'--compiled .*: there is no mmcv/_ext\*.so'):
        list(operators.rows(options(compiled=str(tmp_path)), {}))
