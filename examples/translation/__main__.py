"""Train translators, plain and recursive, and compare them at equal size (SReT, Fig. 7)."""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from time import process_time

import torch
from torch.nn.functional import cross_entropy

from vitbackbones.analysis.curves import draw
from vitbackbones.commands.ending import run
from vitbackbones.layers import Recursion
from vitbackbones.utils.files import as_csv, prepare_folder, write_file
from vitbackbones.utils.packages import import_optional

from .data import batches, catalog_pairs, encode, made_pairs, number_pieces, pad, split
from .model import PAD, UNKNOWN, Translator, beam_search

VARIANTS = {'plain': (1, 'Identity'), 'recursive': (2, 'Identity')}  # passes, shortcut
VARIANTS['recursive, coefficients'] = (2, 'Coefficient')
OPTIONS = {'updates': 1000, 'tokens': 1024, 'rate': 3e-3, 'warmup': 100, 'dropout': 0.1, 'seed': 0}
OPTIONS |= {'width': 64, 'depth': 2, 'heads': 4, 'words': 3000, 'beam': 5}


def loss_of(model: Translator, source: torch.Tensor, target: torch.Tensor, **options):
    """Return the cross entropy of what follows START in ``target``."""
    scores = model(source, target[:, :-1]).transpose(1, 2)  # (N, V, T - 1)
    return cross_entropy(scores, target[:, 1:], ignore_index=PAD, **options)


def train(model: Translator, pairs: list, val: list, options: Namespace):
    """Yield step, mean loss and perplexity of ``val`` after each twentieth of the updates."""
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=1e-4)
    stream = chain.from_iterable(iter(partial(batches, pairs, options.tokens), None))
    fixed, losses = batches(val, options.tokens), []
    pieces = sum((target[:, 1:] != PAD).sum() for _, target in fixed)
    for step, batch in enumerate(islice(stream, options.updates), 1):
        scale = min(step / options.warmup, (options.warmup / step) ** 0.5)  # inverse square root
        optimizer.param_groups[0]['lr'] = options.rate * scale
        optimizer.zero_grad()
        loss = loss_of(model.train(), *batch, label_smoothing=0.1)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step % max(options.updates // 20, 1) == 0:
            with torch.no_grad():
                total = sum(loss_of(model.eval(), *each, reduction='sum') for each in fixed)
            yield step, sum(losses) / len(losses), (total / pieces).exp().item()
            losses.clear()


def main(options: Namespace) -> None:
    """Write curves, and of each variant a table of test sentences, references and answers."""
    sacrebleu = import_optional('sacrebleu', 'sacrebleu') if options.bleu else None
    found = made_pairs(20000) if options.data == 'numbers' else catalog_pairs(Path(options.data))
    parts = split(found, options.data)
    print('pairs to train, validate and test:', *map(len, parts), flush=True)
    out, rows = prepare_folder(options.out, '--out'), []
    numbers = [number_pieces(side, options.words) for side in zip(*parts[0], strict=True)]
    pairs, val = ([tuple(map(encode, pair, numbers)) for pair in part] for part in parts[:2])
    texts, references = zip(*sorted(parts[2], key=lambda pair: len(pair[0])), strict=True)
    sizes, names = [UNKNOWN + len(each) for each in numbers], [*[''] * UNKNOWN, *numbers[1]]
    shape = {'embed_dims': options.width, 'num_heads': options.heads, 'drop_rate': options.dropout}
    for name, (passes, kind) in VARIANTS.items():
        torch.manual_seed(options.seed)
        shape['shortcut'], start = {'type': f'{kind}Shortcut'}, process_time()
        model = Translator(sizes, options.depth, Recursion(passes), **shape)
        for step, loss, perplexity in train(model, pairs, val, options):
            print(f'{name} {step}: loss {loss:.3f}, perplexity {perplexity:.3f}', flush=True)
            row = {'model': name, 'unit': 'iteration', 'step': step}
            rows.append(row | {'split': 'train', 'quantity': 'loss', 'value': loss})
            rows.append(row | {'split': 'val', 'quantity': 'perplexity', 'value': perplexity})
        seconds, answers = process_time() - start, []
        for i in range(0, len(texts), 50):
            source = pad([encode(text, numbers[0]) for text in texts[i : i + 50]])
            best = beam_search(model.eval(), source, options.beam, source.shape[1] * 3 // 2 + 8)
            answers += [''.join(names[number] for number in row)[1:] for row in best]
        exact = sum(map(str.__eq__, answers, references)) / len(texts)
        bleu = sacrebleu and f', BLEU {sacrebleu.corpus_bleu(answers, [references]).score:.1f}'
        print(f'{name}: {sum(map(torch.numel, model.parameters()))} weights, {seconds:.0f} CPU s,')
        print(f'{exact:.1%} of {len(texts)} test sentences exact{bleu or ""}', flush=True)
        table = '\n'.join(map('\t'.join, zip(texts, references, answers, strict=True)))
        write_file(out / f'{name}.tsv', table.encode())
        write_file(out / 'curves.csv', as_csv(rows))
        draw(rows).savefig(out / 'curves.png')


if __name__ == '__main__':
    parser = ArgumentParser(description=__doc__)
    parser.add_argument('data', help="'numbers', a made language, or a folder of catalogs (*.mo)")
    parser.add_argument('--out', required=True, metavar='DIR', help='where results go')
    parser.add_argument('--bleu', action='store_true', help='measure BLEU by sacrebleu')
    for key, value in OPTIONS.items():
        parser.add_argument(f'--{key}', type=type(value), default=value, help=f'default: {value}')
    sys.exit(run(partial(main, parser.parse_args())))
