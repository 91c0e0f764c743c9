"""Translation: what a model may see, what a search finds, and what data may not share."""

import struct
import sys
from argparse import Namespace
from types import SimpleNamespace

import pytest
import torch

from examples.translation import __main__ as program
from examples.translation.__main__ import OPTIONS, VARIANTS, main, train
from examples.translation.data import (
    DIGITS,
    bare,
    batches,
    catalog_pairs,
    encode,
    made_pairs,
    number_pieces,
    split,
)
from examples.translation.model import END, PAD, START, UNKNOWN, Translator, beam_search
from vitbackbones.errors import InputError
from vitbackbones.layers import Block, Recursion

SIZE = 12  # of a vocabulary
SOURCE = torch.tensor([[START, 5, 6, 7, END], [START, 8, END, PAD, PAD]])
TARGET = torch.tensor([[START, 4, 9, 5], [START, 6, END, PAD]])


def make(passes=1, shortcut='IdentityShortcut', **options):
    torch.manual_seed(0)
    shape = {'embed_dims': 16, 'num_heads': 2, 'drop_rate': 0.0, **options}
    recursion, shortcut = Recursion(passes), {'type': shortcut}
    return Translator([SIZE, SIZE], 2, recursion, shortcut=shortcut, **shape).eval()


def greedy(model, source, longest):
    """Take the most probable piece again and again, a sentence at a time."""
    pieces = [START]
    while len(pieces) <= longest and pieces[-1] != END:
        pieces.append(model(source[None], torch.tensor([pieces]))[0, -1].argmax().item())
    return pieces[1:]


class Misleading(torch.nn.Module):
    """Piece 4 is the likelier beginning, but the likeliest sentence begins with 5."""

    after = {START: {4: 0.6, 5: 0.4}, 4: {6: 0.5, 7: 0.5}, 5: {6: 1.0}}  # others end

    def encode(self, source):
        return torch.zeros(len(source), 1, 1), torch.zeros(len(source), 1, 1, 1)

    def decode(self, target, memory, padding, last):
        scores = torch.full((len(target), last, SIZE), float('-inf'))
        for row, piece in zip(scores, target[:, -1].tolist(), strict=True):
            for follower, chance in self.after.get(piece, {END: 1.0}).items():
                row[0, follower] = torch.tensor(chance).log()
        return scores


class SacreBleu:
    """Stands in for the package."""

    corpus_bleu = staticmethod(lambda answers, references: SimpleNamespace(score=12.34))


def write_catalog(file, pairs, order='<', charset='utf-8'):
    """Write a .mo file as msgfmt does."""
    texts = [[text.encode(charset) for text in side] for side in zip(*pairs, strict=True)]
    tables, contents, start = b'', b'', 28 + 16 * len(pairs)
    for side in texts:
        for text in side:
            tables += struct.pack(f'{order}2I', len(text), start + len(contents))
            contents += text + b'\0'
    head = (0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    file.write_bytes(struct.pack(f'{order}7I', *head) + tables + contents)


@pytest.mark.parametrize('passes', [1, 2])
def test_later_pieces_of_a_translation_change_no_earlier_scores(passes):
    model, changed = make(passes), TARGET.clone()
    changed[:, 2:] = 10
    before, after = model(SOURCE, TARGET), model(SOURCE, changed)
    torch.testing.assert_close(before[:, :2], after[:, :2], rtol=0, atol=0)
    assert not torch.allclose(before[:, 2:], after[:, 2:])


def test_padding_changes_no_scores():
    model = make(2)
    alone = model(SOURCE[1:, :3], TARGET[1:, :3])
    torch.testing.assert_close(model(SOURCE, TARGET)[1:, :3], alone)


def test_every_piece_of_the_source_is_seen():
    model, changed = make(), SOURCE.clone()
    changed[0, 1] = 9
    assert not torch.allclose(model(SOURCE, TARGET)[0], model(changed, TARGET)[0])


def test_one_pass_is_a_plain_block_and_two_are_two():
    single, double, seen = make(1), make(2), (torch.zeros(1, 1, 1, 5),)
    parts = {'type': 'DotProductAttention'}, {'type': 'IdentityShortcut'}
    x = torch.randn(2, 5, 16)
    for one, two in zip(single.rows[0], double.rows[0], strict=True):
        plain = Block(16, 2, 4, *parts).eval()
        plain.load_state_dict(one.state_dict())
        two.load_state_dict(one.state_dict())
        torch.testing.assert_close(one(x, seen, (0,)), plain(x, (1, 5)))
        torch.testing.assert_close(two(x, seen, (0, 1)), plain(plain(x, (1, 5)), (1, 5)))


def test_recursion_has_no_weights_of_its_own_and_coefficients_start_at_one():
    plain, recursive, learned = make(), make(2), make(2, 'CoefficientShortcut')
    assert list(plain.state_dict()) == list(recursive.state_dict())
    assert not torch.allclose(plain(SOURCE, TARGET), recursive(SOURCE, TARGET))
    learned.load_state_dict(recursive.state_dict(), strict=False)
    torch.testing.assert_close(learned(SOURCE, TARGET), recursive(SOURCE, TARGET))
    coefficients = [name for name, _ in learned.named_parameters() if 'shortcut' in name]
    assert len(coefficients) == 2 * (2 * 2 + 2 * 3)  # of both branches of encoder, three of decoder


def test_the_embedding_of_the_target_is_the_output_layer():
    model = make()
    assert not [name for name, weight in model.named_parameters() if len(weight) == SIZE][2:]
    with torch.no_grad():
        model.embeds[1].weight[10] = 0  # a piece that is not in the target
    assert (model(SOURCE, TARGET)[..., 10] == 0).all()


def test_a_beam_of_one_is_greedy_and_sentences_do_not_meet():
    model = make(2)
    found = beam_search(model, SOURCE, 1, 8).tolist()
    for source, row in zip(SOURCE, found, strict=True):
        assert [piece for piece in row if piece != PAD] == greedy(model, source[source != PAD], 8)


def test_a_wider_beam_finds_what_a_greedy_search_misses():
    assert beam_search(Misleading(), SOURCE, 1, 5)[0].tolist() == [4, 6, END]
    assert beam_search(Misleading(), SOURCE, 3, 5).tolist() == [[5, 6, END]] * 2


def test_batches_hold_every_pair_once_and_no_more_tokens_than_asked():
    generator = torch.Generator().manual_seed(0)
    lengths = torch.randint(1, 30, (100, 2), generator=generator).tolist()
    pairs = [(torch.full((s,), i + 4), torch.full((t,), i + 4)) for i, (s, t) in enumerate(lengths)]
    found = batches(pairs, 64)
    assert all(max(source.numel(), target.numel()) <= 64 for source, target in found)
    numbers = [row[0].item() for _, target in found for row in target]
    assert sorted(numbers) == [i + 4 for i in range(100)]
    pieces = sum((source != PAD).sum() for source, _ in found)
    assert pieces == sum(s for s, _ in lengths)
    assert len(batches(pairs, 1)) == 100


def test_a_text_is_the_sum_of_its_pieces_and_foreign_letters_are_unknown():
    numbers = number_pieces(['Datei "%s" fehlt', 'Datei lesen'], 1)
    names = [''] * UNKNOWN + list(numbers)
    assert names[UNKNOWN] == '\ufffd'
    for text, shown in (('Datei fehlt', 'Datei fehlt'), ('Datei ß', 'Datei \ufffd')):
        assert ''.join(names[number] for number in encode(text, numbers))[1:] == shown
    assert len(encode('Datei', numbers)) == 3  # a word that is frequent is one piece


def test_the_made_language_reverses_items_and_spells_digits():
    spelled = dict(zip(DIGITS, '0123456789', strict=True))
    pairs = made_pairs(300)
    assert len(pairs) == 300
    for source, target in pairs.items():
        signs = [spelled.get(word, word) for word in target.split()]
        assert ''.join(signs) == ''.join(reversed(source.split()))


def test_messages_that_differ_in_signs_and_case_alone_are_in_one_set():
    words = [f'{a}{b}{c}' for a in 'aeiou' for b in 'klmnprst' for c in 'aeiou']
    forms = ('{}', '_{}...', '%s: {}', '{}!')
    messages = {form.format(word): 'x' for form in forms for word in words}
    messages |= {word.title(): 'x' for word in words}
    parts = split(messages, 'here')
    assert sum(map(len, parts)) == len(messages) == 5 * len(words)
    assert all(len(part) == 5 * len({bare(message) for message, _ in part}) for part in parts)
    assert len(parts[0]) > len(parts[1]) + len(parts[2])


@pytest.mark.parametrize('order', ['<', '>'])
def test_catalogs_are_read_as_gettext_writes_them(tmp_path, order, capsys):
    long = 'word ' * 13
    first = [
        ('', 'Content-Type: text/plain'),
        ('menu\4_Open', 'Ö_ffnen'),
        ('file\0files', 'Datei\0Dateien'),
    ]
    write_catalog(tmp_path / 'a.mo', [*first, ('GNU', 'GNU'), (long, 'Wort'), ('%d', '%i')], order)
    write_catalog(
        tmp_path / 'b.mo', [('file', 'Akte'), ('two\nlines', 'zwei'), ('end', 'Ende')], order
    )
    assert catalog_pairs(tmp_path) == {'_Open': 'Ö_ffnen', 'file': 'Datei', 'end': 'Ende'}
    write_catalog(tmp_path / 'c.mo', [('size', 'Größe')], order, 'latin-1')
    (tmp_path / 'd.mo').write_bytes((tmp_path / 'a.mo').read_bytes()[:60])
    (tmp_path / 'e.mo').write_text('no catalog at all')
    assert len(catalog_pairs(tmp_path)) == 3
    said = capsys.readouterr().err.splitlines()
    assert [line.split(' is left out')[0][-4:] for line in said] == ['c.mo', 'd.mo', 'e.mo']


def test_a_folder_without_pairs_is_one_message(tmp_path):
    options = Namespace(data=str(tmp_path), out=tmp_path / 'out', bleu=False)
    with pytest.raises(InputError, match='0 translated messages are too few; name a folder of cat'):
        main(options)
    assert not (tmp_path / 'out').exists()


def test_bleu_without_sacrebleu_is_one_message(monkeypatch):
    monkeypatch.setitem(sys.modules, 'sacrebleu', None)
    with pytest.raises(InputError, match='install it: pip install sacrebleu'):
        main(Namespace(data='numbers', bleu=True))


@pytest.mark.parametrize('variant', [(1, 'IdentityShortcut'), (2, 'CoefficientShortcut')])
def test_a_short_training_learns(variant):
    rows = [torch.randint(4, SIZE, (3,)) for _ in range(64)]
    end, start = torch.tensor([END]), torch.tensor([START])
    pairs = [(torch.cat([start, x, end]), torch.cat([start, x.flip(0), end])) for x in rows]
    options = Namespace(**OPTIONS | {'updates': 160, 'tokens': 160, 'warmup': 20})
    seen = list(train(make(*variant), pairs, pairs[:16], options))
    assert [step for step, _, _ in seen] == list(range(8, 161, 8))
    assert seen[-1][1] < seen[0][1]
    assert seen[-1][2] < 3 < 8 ** (3 / 4)  # of who does not look at the source


def test_a_comparison_writes_curves_a_picture_and_answers(tmp_path, monkeypatch, capsys):
    small = {'updates': 2, 'tokens': 512, 'width': 8, 'depth': 1, 'heads': 1, 'beam': 1}
    pairs = made_pairs(400)
    monkeypatch.setattr(program, 'made_pairs', lambda count: pairs)
    monkeypatch.setitem(sys.modules, 'sacrebleu', SacreBleu)
    main(Namespace(**OPTIONS | small, data='numbers', out=tmp_path, bleu=True))
    curves = (tmp_path / 'curves.csv').read_text().splitlines()
    assert len(curves) == 1 + 3 * 2 * 2
    assert (tmp_path / 'curves.png').stat().st_size > 10000
    test = dict(split(pairs, '')[2])
    for variant in VARIANTS:
        lines = (tmp_path / f'{variant}.tsv').read_text().split('\n')
        assert {tuple(line.split('\t')[:2]) for line in lines} == {*test.items()}
    said = capsys.readouterr().out
    assert said.count('BLEU 12.3') == len(VARIANTS)
