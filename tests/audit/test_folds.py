"""Pictures of a folder dealt out into folds."""

from collections import Counter

from vitbackbones.audit.folds import deal


def test_folds_have_alike_numbers_of_each_class_and_groups_stay_together():
    keys = [0] * 20 + [1] * 4
    fold = deal([[0, 1, 2], [5, 20]], keys, 3)
    assert len({*fold[[0, 1, 2]]}) == len({*fold[[5, 20]]}) == 1
    assert max(Counter(fold.tolist()).values()) - min(Counter(fold.tolist()).values()) <= 2
    assert {*Counter(fold[20:].tolist()).values()} <= {1, 2}


def test_each_picture_goes_to_the_fold_that_has_fewest_like_it():
    assert Counter(deal([], [0] * 6, 3).tolist()) == {0: 2, 1: 2, 2: 2}
    assert Counter(deal([], [*range(6)], 3).tolist()) == {0: 2, 1: 2, 2: 2}
    for key in (0, 1):
        fold = deal([], [0, 1] * 6, 2)
        assert Counter(fold[key::2].tolist()) == {0: 3, 1: 3}
    grouped = deal([[0, 1, 2, 3]], [0] * 8, 2)  # a group counts as many as it has
    assert Counter(grouped.tolist()) in ({0: 4, 1: 4}, {0: 5, 1: 3}, {0: 3, 1: 5})
    assert deal([], [0] * 9, 3).tolist() == deal([], [0] * 9, 3).tolist() != [0, 1, 2] * 3
