"""Pictures of a folder dealt out into folds."""

from collections import Counter

from vitbackbones.data.own.pool import deal


def test_folds_have_alike_numbers_of_each_class_and_groups_stay_together():
    keys = [0] * 20 + [1] * 4
    fold = deal([[0, 1, 2], [5, 20]], keys, 3)
    assert len({*fold[[0, 1, 2]]}) == len({*fold[[5, 20]]}) == 1
    assert max(Counter(fold.tolist()).values()) - min(Counter(fold.tolist()).values()) <= 2
    assert {*Counter(fold[20:].tolist()).values()} <= {1, 2}
