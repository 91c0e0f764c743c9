"""Which keywords a class takes, followed along its bases."""

import functools

import pytest
from mmseg.models.decode_heads import FCNHead

from vitbackbones.utils.signatures import ANY, accepted_keywords, keywords_by_name


class Base:
    def __init__(self, a, *, b=1):
        pass


class Handing(Base):
    def __init__(self, c, **kwargs):
        super().__init__(**kwargs)


class Naming(Handing):
    def __init__(self, *args, d=0, **options):
        """``options`` go to the base."""
        super(Naming, self).__init__(*args, **options)  # noqa: UP008 (the old form is the case)


class Skipping(Handing):
    def __init__(self, **kwargs):
        super(Handing, self).__init__(**kwargs)


class Using(Base):
    def __init__(self, **kwargs):
        kwargs.pop('e', None)
        super().__init__(**kwargs)


class Keeping(Base):
    def __init__(self, **kwargs):
        super().__init__(1)
        self.kwargs = kwargs


def function(x, y=1):
    pass


@pytest.mark.parametrize(
    ('target', 'accepted'),
    [
        (Base, {'a', 'b'}),
        (Handing, {'a', 'b', 'c'}),
        (Naming, {'a', 'b', 'c', 'd'}),
        (Skipping, ANY),
        (Using, ANY),
        (Keeping, ANY),
        (function, {'x', 'y'}),
        (functools.partial(function, x=1), {'x', 'y'}),
        (dict.update, ANY),
    ],
)
def test_accepted(target, accepted):
    assert accepted_keywords(target) == accepted


def test_keywords_of_bases_are_known_with_their_defaults():
    found = keywords_by_name(FCNHead)
    assert found['in_channels'].default is found['in_channels'].empty
    assert found['num_convs'].default == 2
