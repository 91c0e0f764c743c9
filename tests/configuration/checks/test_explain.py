"""What libraries say about a mistake becomes one message."""

from argparse import Namespace

import pytest

from vitbackbones.configuration.checks.explain import explained
from vitbackbones.errors import InputError

from ...training.toy import toy_config

pytestmark = pytest.mark.compat


@pytest.mark.parametrize('kind', [ImportError, RuntimeError])
def test_a_missing_operator_is_no_bug(kind):
    config = Namespace(filename='retinanet.py')
    with pytest.raises(InputError, match='retinanet.py: nms requires mmcv'), explained(config):
        raise kind('nms requires mmcv to be compiled with ops.')


class OtherData:
    """A data set of one's own, which names no files in OpenMMLab's way."""

    def load_data_list(self):
        raise KeyError('frames')


def test_an_error_of_a_data_set_of_another_kind_stays_what_it_is(tmp_path):
    with pytest.raises(KeyError, match='frames'), explained(toy_config(tmp_path)):
        OtherData().load_data_list()
