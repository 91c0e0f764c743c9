"""Names of classes as people write them."""

from vitbackbones.data.own.class_lists import spelling_warnings


def test_two_spellings_of_a_name_are_one_warning():
    (text,) = spelling_warnings(
        'a.json', ['Car', 'traffic light', 'car', 'Traffic_Light', 'bus'][:3]
    )
    assert text.startswith("a.json: 'Car', 'car' are different classes")
    assert len(spelling_warnings('a.json', ['traffic light', 'Traffic_Light', 'bus'])) == 1
