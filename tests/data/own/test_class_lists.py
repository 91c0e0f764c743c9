"""Names of classes as people write them."""

from vitbackbones.data.own.class_lists import spelling_warnings


def test_two_spellings_of_a_name_are_one_warning():
    names = ['Car', 'traffic light', 'car', 'Traffic_Light', 'bus']
    first, second = spelling_warnings('a.json', names)
    assert first.startswith("a.json: 'Car', 'car' are different classes")
    assert second.startswith("a.json: 'traffic light', 'Traffic_Light' are different classes")
