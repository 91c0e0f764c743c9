"""What stands in for a package that is not installed says what to install when it is used."""

from importlib.util import module_from_spec

import pytest

from vitbackbones.errors import InputError
from vitbackbones.openmmlab.after_import import StandInFinder

pytestmark = pytest.mark.compat


def test_lanes_are_augmented_by_a_package_that_is_asked_for_when_it_is_used():
    augmenters = module_from_spec(StandInFinder().find_spec('imgaug.augmenters'))
    sometimes = augmenters.Sometimes  # mmdet takes it at import
    with pytest.raises(InputError, match='imgaug.augmenters.Sometimes .* pip install imaug'):
        sometimes(p=0.5)
    assert not hasattr(augmenters, '__wrapped__')
