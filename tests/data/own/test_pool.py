"""Pictures of a folder dealt out into folds."""

import os
from collections import Counter

import pytest

from vitbackbones.data.own.pool import Pool, deal
from vitbackbones.errors import InputError


@pytest.mark.parametrize('kind', ['pictures', 'masks'])
def test_a_pipe_is_not_waited_for(tmp_path, kind):
    os.mkfifo(tmp_path / 'a.png')
    files = {kind: [tmp_path / 'a.png']}
    with pytest.raises(InputError, match='a.png: not a regular file. Put a good copy there'):
        Pool(tmp_path, files.get('pictures', []), [None], ['cat'], masks=files.get('masks', []))


def test_folds_have_alike_numbers_of_each_class_and_groups_stay_together():
    keys = [0] * 20 + [1] * 4
    fold = deal([[0, 1, 2], [5, 20]], keys, 3)
    assert len({*fold[[0, 1, 2]]}) == len({*fold[[5, 20]]}) == 1
    assert max(Counter(fold.tolist()).values()) - min(Counter(fold.tolist()).values()) <= 2
    assert {*Counter(fold[20:].tolist()).values()} <= {1, 2}
