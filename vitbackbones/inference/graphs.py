"""A model that runs as cached exported graphs, and in torch for all other image sizes.

Where the model takes images of any size, one graph answers everything. Where it cannot, a size gets
a graph of its own once torch has spent on it what an export takes, or when several calls had images
of this size, up to a small number of sizes. No answer changes by that: graphs equal torch's model
as ``export`` proves, unless ``test`` has measured what bfloat16 loses, see
:mod:`vitbackbones.runtime.model`.

Any number of threads may ask one model. What a thread opens, makes or exports, the others wait for.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import RLock
from time import perf_counter
from typing import TYPE_CHECKING

from tqdm import tqdm

from ..data.loading.image_file import UnreadableImage
from ..data.sources import Frame
from ..errors import InputError, printable
from ..runtime import Exported
from ..runtime.answers import Answer
from ..runtime.cache import ANY, MOST_GRAPHS, Graphs, name_of
from ..runtime.model import choose_precision
from ..runtime.preparing import SLIDE, Taken, prepare
from ..utils.messages import in_one_line

if TYPE_CHECKING:
    from ..export.writing import Original

WORTH = 10.0  # seconds in torch on pictures of one size, from which on it is worth a graph


class GraphModel:
    """A model that runs as exported graphs whenever possible.

    Args:
        graphs: in the cache, where others are added.
        original: returns the model in torch, which takes seconds to import and build.
        precision: of graphs, one of :data:`vitbackbones.utils.rules.PRECISIONS`.
        streams: whether graphs answer several pictures at a time.

    Attributes:
        at_once: how many.
        meta: ``classes`` and ``palette``.
        runtime: what runs and why, for the user.

    Raises:
        InputError: there is no graph, and none can be made.
        OSError: the cache cannot be written to.
    """

    color = 'color'

    def __init__(
        self,
        graphs: Graphs,
        original: Callable[[], 'Original'],
        precision: str = 'auto',
        streams: bool = False,
    ) -> None:
        self.graphs = graphs
        self.streams = streams
        self.precision = precision
        self._make_original = original
        self._opened: dict[str, Exported | None] = {}
        self._spent = Counter(dict.fromkeys(graphs.frequent(), WORTH))  # seconds in torch, by size
        self._counted: set[str] = set()  # sizes for which this call has been counted
        self._refused: set[str] = set()  # what graphs raised, for which torch answered
        self._lock = RLock()  # around all of these, and around torch's model until it is there
        self.runtime = f'{graphs.runtime}, exported before'
        kept = next((graph for name in graphs.names() if (graph := self._open(name))), None)
        if kept is None and self.original.first:
            kept = self._export(self.original.first)
        elif kept is None and self._spent:  # now, so that the next call needs no torch
            kept = self._graph(next(iter(self._spent)))
        self.at_once = kept.at_once if kept else 1
        if kept:
            if precision == 'bf16':
                choose_precision(kept.card, precision, 'this model')
            if kept.precision == 'bf16':
                self.runtime += ', in bf16'
            self.taken = Taken(kept.card.steps, kept.card.input)
            self.meta = {'classes': kept.card.classes, 'palette': kept.card.palette}
        else:
            subject = self.original.subject
            self.taken = self.original.taken
            self.meta = {'classes': subject.classes, 'palette': subject.palette}
            self.runtime = f'torch, and {graphs.runtime} for frequent image sizes'
        graphs.tidy()

    @cached_property
    def original(self) -> 'Original':
        """The model in torch."""
        return self._make_original()

    def prepare(self, frame: Frame) -> dict:
        """Return the ``picture`` that a graph takes, the ``inputs`` in it, and the ``frame``.

        Raises:
            UnreadableImage: an image of such sides cannot be resized.
        """
        try:
            picture = prepare(frame.pixels, self.taken)
        except InputError as error:
            raise UnreadableImage(f'{frame}: {error}') from error
        return {'inputs': picture.image, 'picture': picture, 'frame': frame}

    def answer(self, samples: Sequence[dict], logits: bool = False) -> list[Answer]:
        """Return the answers for prepared frames, whose images have one size."""
        name = self._graph_name(samples[0]['inputs'].shape[1:])
        # a graph gives no logits in the size of the picture
        with self._lock:
            graph = self._graph(name)
        if graph and not (logits and graph.card.task == 'segmentation'):
            try:
                return graph.answer([sample['picture'] for sample in samples])
            except InputError as error:  # torch answers it, or says what is wrong
                self._say_once(str(error))
        with self._lock:
            predictor = self.original.predictor
        start = perf_counter()
        prepared = [predictor.prepare(sample['frame']) for sample in samples]
        answers = predictor.answer(prepared, logits)
        with self._lock:
            self._spent[name] += perf_counter() - start
            if name and graph is None and name not in self._counted:
                self._counted.add(name)
                self.graphs.count_call(name)
        return answers

    def _say_once(self, reason: str) -> None:
        """Say that torch answers because a graph has failed."""
        with self._lock:
            if reason not in self._refused:
                self._refused.add(reason)
                tqdm.write(printable(f'using torch instead: {reason}'), file=sys.stderr)

    def _graph_name(self, size: tuple[int, int]) -> str:
        """Return the name of the graph that answers images of a size, (H, W); '' if none can."""
        if self._open(ANY):
            return ANY
        if self.taken.steps[-1:] and (last := self.taken.steps[-1])['type'] == SLIDE:
            if size[0] < last['crop'][0] or size[1] < last['crop'][1]:
                return ''  # of a smaller picture the window is smaller
            size = last['crop']
        return name_of(size)

    def _graph(self, name: str) -> Exported | None:
        """Return the graph of a name, made now if it is worth it."""
        if not name:
            return None
        if graph := self._open(name):
            return graph
        if self._spent[name] < WORTH or len(self.graphs.names()) >= MOST_GRAPHS:
            return None
        self._spent[name] = -sys.maxsize  # it is tried once
        try:
            graph = self._export(name)
            said = self.runtime
            self.graphs.tidy()
        except Exception as error:  # of many kinds, as of what exports
            graph = None
            said = f'torch ({in_one_line(error)})'
        tqdm.write(f'runtime for {name.replace("x", " x ")}: {said}', file=sys.stdout)
        return graph

    def _open(self, name: str) -> Exported | None:
        if name not in self._opened:
            # a graph of another size, of which nothing was measured, computes in float32
            wanted = 'f32' if self.precision == 'f32' else 'auto'
            self._opened[name] = self.graphs.open(name, wanted, self.streams)
        return self._opened[name]

    def _export(self, name: str) -> Exported:
        with self.graphs.turn():
            self._opened.pop(name, None)
            if graph := self._open(name):  # another process has made it
                return graph
            how_long = 'about half a minute, only once for these weights'
            tqdm.write(f'exporting for {self.graphs.runtime}: {how_long}', sys.stderr)
            start = perf_counter()
            card = self.original.export(self.graphs, name)
        seconds = perf_counter() - start
        worst = max(card.parity['differences'].values())
        self.runtime = (
            f'{self.graphs.runtime}, exported now in {seconds:.0f} s, with differences of at '
            f'most {worst:.0e}'
        )
        self._opened.pop(name)
        return self._open(name)
