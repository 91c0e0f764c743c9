import pytest
import torch
from mmengine.registry import DefaultScope


@pytest.fixture(autouse=True)
def scope():
    """Bare names are mmpretrain's, whatever was tested before."""
    with DefaultScope.overwrite_default_scope('mmpretrain'):
        yield


@pytest.fixture
def images():
    return torch.randn(3, 3, 32, 32, generator=torch.Generator().manual_seed(1))
