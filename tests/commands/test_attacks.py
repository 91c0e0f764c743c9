"""A checkpoint that would run code is refused with one message, on every way in."""

import pytest

from ..attacks import CANARY, write
from .conftest import TINY, TINY_SEG
from .test_messages import refused

pytestmark = pytest.mark.compat
WAYS = {
    'train --resume': ('train', TINY_SEG, '--scratch', '--resume', 'FILE', '--data-root', 'DATA'),
    'train load_from': (
        *('train', TINY_SEG, '--scratch', '--data-root', 'DATA'),
        *('--cfg-options', 'load_from=FILE'),
    ),
    'train --pretrained': ('train', TINY, '--pretrained', 'FILE', '--data-root', 'DATA'),
    'test': ('test', TINY_SEG, 'FILE', '--data-root', 'DATA'),
    'predict': ('predict', TINY_SEG, 'FILE', 'DATA/images/val', '--out', 'out'),
}


@pytest.mark.parametrize('way', WAYS)
def test_a_file_that_would_run_code_is_one_message(tool, data, tmp_path, way):
    key = 'pointers in a loss history' if way == 'test' else 'mkdir in a zip'
    (file,) = write(tmp_path, [key]).values()
    words = (str(word).replace('FILE', str(file)).replace('DATA', str(data)) for word in WAYS[way])
    text = refused(tool(*words), f'{file}: refused, because it contains')
    assert text.count('\n') == 1
    assert not CANARY.exists()
