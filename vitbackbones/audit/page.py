"""The page of an audit: what is likely to be wrong, with label and suggestion drawn."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ..data.loading.image_file import read_image
from ..data.own.pool import Pool
from ..drawing.sheet import from_bgr, side_by_side
from ..reports.detection import RIGHT, WRONG, Note, draw_notes
from ..reports.page import Picture, Section, Table, photograph
from .suspicion import Suspicion

SHOWN = 100  # suspicions with a picture
KINDS = {
    'missing': 'an object without a label',
    'spurious': 'a label without an object',
    'class': 'another class',
    'loose': 'an inaccurate box',
    'outline': 'an inaccurate outline',
    'mask': 'a part of a mask has the wrong class',
}
LEAKS = (
    'Groups across several splits come first: there, the model is tested on images that it '
    'was trained on.'
)
ORDER = (
    'The most likely errors come first. Orange: the doubted label, and the label that is '
    'suggested instead. Accept a suggestion to have the label corrected.'
)
MEANING = (
    ' A likelihood of 0.5 means: if all labels were correct and 1 in 20 were then corrupted in '
    'this way, half of the labels that look this unusual would be corrupted ones.'
)


def sections(
    pool: Pool, groups: Sequence[Sequence[int]], listed: Sequence[Suspicion]
) -> Iterator[Section]:
    """Yield the sections, on groups of near duplicates and on labels."""
    pairs = zip(pool.splits, pool.files, strict=True)
    leaking = sorted(groups, key=lambda rows: -len({pool.splits[row] for row in rows}))
    files = [f'{split or ""} {file.name}'.strip() for split, file in pairs]
    duplicates = [['; '.join(files[row] for row in rows)] for rows in leaking[:SHOWN]]
    table = Table(head=['identical or nearly identical images'], rows=duplicates)
    yield Section('Near duplicates', [table] if duplicates else (), LEAKS)
    counts = Counter(suspicion.fault for suspicion in listed)
    kinds = [[fault, text, counts[fault]] for fault, text in KINDS.items() if counts[fault]]
    yield Section('Kinds', [Table(head=['kind', 'what it is', 'listed'], rows=kinds)])
    drawn = [_draw(pool, rank, suspicion) for rank, suspicion in enumerate(listed[:SHOWN], 1)]
    yield Section('Likely label errors', drawn, ORDER + (MEANING if pool.content else ''))


def _draw(pool: Pool, rank: int, suspicion: Suspicion) -> Picture:
    """Draw the labels of an image beside what is suggested for one of them."""
    file = pool.files[suspicion.image]
    image = from_bgr(read_image(str(file)))
    anns = pool.labels[suspicion.image]
    others = [Note(ann, '', RIGHT) for ann in anns if ann['label_id'] != suspicion.label_id]
    anns = [ann for ann in anns if ann['label_id'] == suspicion.label_id]
    doubted = [Note(ann, pool.classes[ann['category_id']], WRONG) for ann in anns]
    suggested = []
    if suspicion.fault != 'spurious':
        ann = {'segmentation': [], **(anns[0] if anns else {}), 'bbox': suspicion.box}
        if suspicion.outlines:
            ann['segmentation'] = [*map(list, suspicion.outlines)]
        suggested = [Note(ann, pool.classes[suspicion.category], WRONG)]
    labels = others + doubted  # the doubted one is drawn over the others
    panels = {'labels' if labels else 'image': labels, 'suggestion': others + suggested}
    shape = 'segm' if pool.outlined or not pool.content else 'bbox'
    drawn = side_by_side([(key, draw_notes(image, notes, shape)) for key, notes in panels.items()])
    title = f'{rank}. {suspicion.fault}, {suspicion.likelihood:.2f}: {suspicion.reason}'
    return photograph(drawn, f'{title} ({file.name})', rank)
