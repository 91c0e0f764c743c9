"""Which attention kernel takes a call, and how much work a step does, as the profiler tells."""

import pytest
import torch
import torch.nn.functional as F

from vitbackbones.benchmarking.suites.gpu_kernels import attention_rows, launches
from vitbackbones.benchmarking.suites.gpu_roofline import work

CPU = torch.device('cpu')


def rows(*calls, autocast=False):
    """Rows of calls of attention among two heads of 8 channels and five tokens."""
    q = torch.randn(1, 2, 5, 8)

    def step():
        with torch.autocast('cpu', torch.bfloat16, enabled=autocast):
            for options in calls:
                F.scaled_dot_product_attention(q, q, q, **options)

    return list(attention_rows(step, CPU))


@pytest.mark.parametrize('autocast', [False, True])
def test_equal_calls_are_one_row(autocast):
    mask = torch.zeros(1, 1, 1, 5)
    plain, masked = rows({}, {'attn_mask': mask}, {}, autocast=autocast)
    shapes = {'query': '1 x 2 x 5 x 8', 'key': '1 x 2 x 5 x 8'}
    assert plain == shapes | {
        'mask': '',
        'mask_stride': '',
        'mask_learns': False,
        'dropout': 0.0,
        'calls': 2,
        'kernel': 'flash',
        'verdict': 'pass',
    }
    assert (masked['mask'], masked['mask_stride'], masked['calls']) == ('1 x 1 x 1 x 5', 1, 1)


def test_the_slow_kernel_is_a_failure():
    dropped, learned = rows(
        {'dropout_p': 0.5}, {'attn_mask': torch.zeros(5, 5, requires_grad=True)}
    )
    assert [row['kernel'] for row in (dropped, learned)] == ['math', 'math']
    assert dropped['verdict'] == 'fail'
    assert learned['mask_learns']


def test_operators_that_do_the_work_are_counted():
    x = torch.randn(3, 3)
    assert launches(lambda: x + x + x, CPU) == 2
    # linear is a transposition and a product
    assert launches(lambda: F.linear(x, x), CPU) <= 3


def test_operations_and_bytes_of_a_step():
    x = torch.randn(4, 8)
    assert work(lambda: x @ x.T) == (2 * 4 * 8 * 4, 4 * (32 + 32 + 16))
    assert work(lambda: x.T) == (0, 0)
    q = torch.randn(1, 1, 4, 8)
    operations, _ = work(lambda: F.scaled_dot_product_attention(q, q, q))
    assert operations == 2 * (2 * 4 * 8 * 4)
