"""The page of an audit: what is likely to be wrong, with label and suggestion drawn."""

from collections import Counter
from collections.abc import Iterator, Sequence

from pycocotools import mask as masks

from ..data.loading.image_file import read_image
from ..data.own.pool import Pool
from ..drawing.sheet import from_bgr, side_by_side
from ..reports.detection import RIGHT, WRONG, draw_notes
from ..reports.elements import Picture, Section, Table, photograph
from . import Suspicion

SHOWN = 100  # suspicions with a picture
KINDS = {
    'missing': 'no label where an object is',
    'spurious': 'a label where no object is',
    'class': 'another class',
    'loose': 'a box that does not fit',
    'mask': 'a part of a mask of another class',
}
LEAKS = 'Those in several splits come first: what is tested there was trained on.'
ORDER = 'The likeliest first: orange is what is doubted, and what is suggested in its place.'
MEANING = (
    ' A likelihood of 0.5 means: if all labels were sound, and a twentieth of them were then '
    'spoiled in this way, every other one that looks so strange would be a spoiled one.'
)


def sections(
    pool: Pool, groups: Sequence[Sequence[int]], listed: Sequence[Suspicion]
) -> Iterator[Section]:
    """Yield the sections, on groups of near duplicates and on labels."""
    rows = [
        ['; '.join(f'{pool.splits[row] or ""} {pool.files[row].name}'.strip() for row in each)]
        for each in sorted(groups, key=lambda each: -len({pool.splits[row] for row in each}))
    ]
    table = Table(head=['the same picture, or nearly'], rows=rows[:SHOWN])
    yield Section('Near duplicates', [table] if rows else (), LEAKS)
    counts = Counter(each.kind for each in listed)
    rows = [[kind, text, counts[kind]] for kind, text in KINDS.items() if counts[kind]]
    yield Section('Kinds', [Table(head=['fault', 'what it is', 'listed'], rows=rows)])
    drawn = [_draw(pool, rank, each) for rank, each in enumerate(listed[:SHOWN], 1)]
    yield Section('Likely faults', drawn, ORDER + (MEANING if pool.content else ''))


def _draw(pool: Pool, rank: int, each: Suspicion) -> Picture:
    """Draw the labels of a picture beside what is suggested for one of them."""
    file = pool.files[each.picture]
    image = from_bgr(read_image(str(file)))
    suggested, own = {'bbox': each.box}, []
    if pool.content is None:
        outlines = masks.frPyObjects([*map(list, each.outlines)], image.height, image.width)
        suggested['segmentation'] = masks.merge(outlines)
    for label in pool.labels[each.picture] if pool.content else ():
        doubted = label['label_id'] == each.label
        name = pool.classes[label['category_id']] if doubted else ''
        own.append((label, name, WRONG if doubted else RIGHT))
    own.sort(key=lambda note: note[2] == WRONG)  # drawn over the others
    answer = [note for note in own if note[2] == RIGHT]
    if each.kind != 'spurious':
        answer.append((suggested, pool.classes[each.category], WRONG))
    panels = {'labels' if own else 'picture': own, 'suggestion': answer}
    kind = 'bbox' if pool.content else 'segm'
    drawn = side_by_side([(key, draw_notes(image, notes, kind)) for key, notes in panels.items()])
    title = f'{rank}. {each.kind}, {each.likelihood:.2f}: {each.reason} ({file.name})'
    return photograph(drawn, title)
