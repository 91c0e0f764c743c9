"""Equality with mmcv's compiled operators, from what they answered."""

import pytest
import torch

from tests.golden.operators import CALLS, compared

pytestmark = pytest.mark.compat


@pytest.mark.parametrize('name', CALLS)
def test_an_operator_equals_the_compiled_one(name):
    for options, answers, expected in compared(name):
        for answer, wanted in zip(answers, expected, strict=True):
            tolerance = {'rtol': 1e-5, 'atol': 1e-5} if wanted.is_floating_point() else {}
            torch.testing.assert_close(
                answer, wanted, equal_nan=True, **tolerance, msg=f'{options}: {{}}'.format
            )
