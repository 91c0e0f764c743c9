"""Networks without values: shapes alone, on devices that are not there."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode


@contextmanager
def without_values() -> Iterator[None]:
    """Build and run networks on fake tensors, whose weights are left as they are.

    Some releases of torch initialize in ways that need values (2.15) or a driver (2.6).
    """
    with FakeTensorMode(), pytest.MonkeyPatch.context() as patch:
        for name in dir(nn.init):
            if name.endswith('_') and not name.startswith('_'):
                patch.setattr(nn.init, name, lambda tensor, *args, **options: tensor)
        yield
