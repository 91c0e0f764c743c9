"""Why a training learns nothing: 40 broken links, each named; none in sound sets."""

import numpy as np
import pytest
from PIL import Image

from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.preparing.data_sets import check_data
from vitbackbones.preparing.links import broken_links
from vitbackbones.preparing.own_data import use_own_data

from .faults import FAULTS, SIZE, SOUND, content, write

pytestmark = pytest.mark.compat
NEEDED = 36 / 40


def masks(root, values):
    for folder in ('images', 'masks'):
        (root / folder).mkdir(parents=True)
    (root / 'classes.txt').write_text('sky\nroad\ncar\n')
    for i in range(10):
        Image.new('RGB', SIZE).save(root / 'images' / f'{i}.png')
        mask = np.resize(np.array(values, np.uint8), SIZE[::-1])
        Image.fromarray(mask).save(root / 'masks' / f'{i}.png')


def said_of(root, case):
    """What is said of a set before a training, by the checks of every run or of this room."""
    name = 'quick_segmentor' if 'values' in case else 'quick_detector'
    config = read_config(name, {})
    if 'values' in case:
        masks(root, case['values'])
    else:
        found = content(case.get('seed', 0), **case.get('set', {}))
        case.get('change', lambda found: None)(found)
        write(root, found, case.get('size', SIZE), case.get('light', (0, 256)))
    if 'scale' in case:
        config.test_dataloader.dataset.pipeline[1].scale = case['scale']
    if case.get('options', {}).get('train_cfg'):
        config.pop('train_cfg')
    config.merge_from_dict(case.get('options', {}))
    if 'param_scheduler' in case.get('options', {}):
        config.param_scheduler = case['options']['param_scheduler']
    try:
        config = use_own_data(config, str(root), str(root.parent / 'run'))
        check_data(config, ('train',))
        return broken_links(config)
    except InputError as error:
        return [f'refused: {error}']


def test_of_forty_broken_links_nearly_all_are_named(tmp_path):
    assert len(FAULTS) >= 40
    wrong = []
    for number, case in enumerate(FAULTS):
        said = said_of(tmp_path / str(number) / 'own', case)
        start = 'refused: ' if 'says' in case else case['link']
        if not said or not said[0].startswith(start) or case.get('says', '') not in said[0]:
            wrong.append((number, case['link'], said))
    assert len(wrong) <= (1 - NEEDED) * len(FAULTS), wrong


@pytest.mark.parametrize('case', SOUND)
def test_nothing_is_said_of_sound_sets(tmp_path, case):
    assert said_of(tmp_path / 'own', case) == []
