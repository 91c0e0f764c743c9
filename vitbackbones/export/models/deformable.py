"""Deformable DETR and DINO as one graph.

mmdet's own layers and head are run, on a copy of the model whose attentions can be traced. What
mmdet does in between for padded batches is left out: images of one size have no padding, and a
config that pads them has no graph.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ...errors import InputError
from . import Exportable
from .attention import Sizes, centers, encode, make_traceable, shared_copy, sizes_of
from .detr import detections


class ExportableDeformableDETR(Exportable):
    """From images (N, 3, H, W) to boxes, scores and labels; see :func:`.exportable`.

    Args:
        model: mmdet's ``DeformableDETR`` or ``DINO``, or our ``DINO``.

    Raises:
        InputError: the config pads images.
    """

    outputs = ('boxes', 'scores', 'labels')

    def __init__(self, model: nn.Module) -> None:
        if (divisor := model.data_preprocessor.pad_size_divisor) > 1:
            raise InputError(
                f'model.data_preprocessor.pad_size_divisor: is {divisor}; set it to 1. '
                f'{type(model).__name__} masks padding, and an exported file cannot'
            )
        super().__init__(shared_copy(model))
        make_traceable(self.model)
        self.model.gen_encoder_output_proposals = self._proposals

    def forward(self, image: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        maps = self.model.extract_feat(image)
        sizes = sizes_of(maps)
        places = (self.model.positional_encoding(None, input=level) for level in maps)
        levels = zip(places, self.model.level_embed, strict=True)
        codes = [place + level[:, None, None] for place, level in levels]  # as maps
        memory = encode(self.model.encoder, maps, codes)
        start, _ = self.model.pre_decoder(memory, None, sizes)
        # a view of the embedding, whose strides torch.export would compare with the batch
        start['query'] = start['query'].contiguous()
        head = self.model.bbox_head
        memory = start.pop('memory')
        is_dino = 'dn_mask' in start
        if is_dino:
            start['self_attn_mask'] = start.pop('dn_mask')
        states, points = self.model.decoder(
            value=memory,
            spatial_shapes=sizes,
            level_start_index=None,
            valid_ratios=memory.new_ones(memory.shape[0], len(sizes), 2),  # nothing is padded
            key_padding_mask=None,
            reg_branches=head.reg_branches if self.model.with_box_refine else None,
            **start,
        )
        # the points before each layer; DINO's decoder begins with the first ones
        points = [*points] if is_dino else [start['reference_points'], *points]
        logits, boxes = (each[-1] for each in head(states, points))
        return detections(head, logits, boxes, image.shape[2:])

    def _proposals(self, memory: Tensor, mask: None, sizes: Sizes) -> tuple[Tensor, Tensor]:
        """Return features and boxes, before the sigmoid, of ``num_queries`` positions at least.

        As in mmdet, positions at the border are masked, and their boxes are at infinity. Where an
        image has fewer positions, masked ones are added: of ``memory`` (N, S, C) come
        (N, max(S, num_queries), C) and (N, max(S, num_queries), 4). ``mask`` is None, as nothing
        is padded.
        """
        sides = [
            memory.new_full((height * width, 2), 0.05 * 2.0**i)
            for i, (height, width) in enumerate(sizes)
        ]
        boxes = torch.cat([centers(sizes, memory), torch.cat(sides)], dim=-1)  # (S, 4)
        inside = ((boxes > 0.01) & (boxes < 0.99)).all(-1, keepdim=True)
        features = self.model.memory_trans_fc(memory.where(inside, 0))
        boxes = torch.log(boxes / (1 - boxes)).where(inside, torch.inf)
        missing = torch.sym_max(self.model.num_queries - boxes.shape[0], 0)
        boxes = F.pad(boxes, (0, 0, 0, missing), value=torch.inf)
        features = F.pad(self.model.memory_trans_norm(features), (0, 0, 0, missing))
        return features, boxes.expand(memory.shape[0], -1, -1)
