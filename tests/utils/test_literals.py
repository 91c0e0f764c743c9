"""Values of the command line are read, and nothing is run."""

from dataclasses import dataclass, field

import pytest

from vitbackbones.utils.literals import is_balanced, read_rows, read_value, split


@pytest.mark.parametrize(
    ('text', 'value'),
    [
        ('3', 3),
        ('-0.5', -0.5),
        ('None', None),
        ('true', True),
        ('word', 'word'),
        ('False', False),
        ('-2', -2),
        (' 3 ', 3),
        ('()', ()),
        ('(1,)', (1,)),
        ('[]', []),
        ('{}', {}),
        ('dict()', {}),
        ('torch.optim.SGD', 'torch.optim.SGD'),
        ('[1, (2, x)]', [1, (2, 'x')]),
        ('dict(base=ti, depth=24)', {'base': 'ti', 'depth': 24}),
        ("{'a': dict(b='c d'), e: [None]}", {'a': {'b': 'c d'}, 'e': [None]}),
    ],
)
def test_values(text, value):
    assert read_value(text) == value


@pytest.mark.parametrize(
    'text',
    [
        "dict(a=__import__('os').getcwd())",
        'dict(1)',
        'list()',
        '-x',
        '+1',
        '--1',
        'dict(**a)',
        '{**a}',
        '1 + 1',
        '[x for x in y]',
        'dict(a=',
        '{[1]: 2}',
        '[' * 5000 + ']' * 5000,
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match='cannot be read as a value|is not a number, word, list'):
        read_value(text)


@dataclass
class Fact:
    name: str
    size: float = 0.5
    options: dict = field(default_factory=dict)
    hash: str | None = None


def test_rows_have_texts_as_they_are_values_and_defaults(tmp_path):
    file = tmp_path / 'facts.csv'
    file.write_text('name,size,options,hash\n007,2,"{\'a\': [1, 2]}",1e5\n"a, b",,,\n')
    assert read_rows(file, Fact) == [
        Fact('007', 2, {'a': [1, 2]}, '1e5'),
        Fact('a, b', 0.5, {}, None),
    ]


@pytest.mark.parametrize(
    ('text', 'parts'),
    [
        ('a', ['a']),
        ('a,b', ['a', 'b']),
        ('a=[1,2],b={3,(4,5)},c', ['a=[1,2]', 'b={3,(4,5)}', 'c']),
        ('a,', ['a', '']),
        (',', ['', '']),
        ('[a,b', ['[a,b']),
        ('', ['']),
    ],
)
def test_texts_are_split_at_commas_outside_of_brackets(text, parts):
    assert list(split(text)) == parts


@pytest.mark.parametrize(
    ('text', 'expected'),
    [('', True), ('a', True), ('([{}])', True), ('()[]', True)]
    + [(text, False) for text in ('(', ')', '(]', '([)]', ')(', '(()', '())')],
)
def test_brackets_have_partners(text, expected):
    assert is_balanced(text) is expected
