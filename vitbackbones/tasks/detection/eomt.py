"""EoMT, the encoder-only mask transformer (Kerssies et al., CVPR 2025, arXiv 2503.19108).

There is no decoder. Learned queries join the tokens of a plain ViT for its last blocks, in front
of them and without a position, and attend with them by the ViT's own weights. A linear layer gives
the class of a query, and the dot product of an MLP of it with each upscaled patch token its mask.

In training, masks are also predicted before each of the joint blocks, and a query attends there
only to the patches that its mask covers. This masked attention ends block by block
(:func:`mask_probability`); in eval mode there is none, so that the attention stays on the fused
kernel. Losses, matching and the form of answers are Mask2Former's, as in mmdet.

Other than in the published code:

* how far the training is follows from its iteration, so a checkpoint needs nothing for it;
* the masks end in the same fractions of a run of any length, and of any number of blocks;
* patches of 14 pixels are upscaled twice, like those of 16, and not once;
* where the backbone has no final norm (SimpleViT, MSF-ViT), the head has one.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from mmdet.models.dense_heads import Mask2FormerHead
from mmdet.models.dense_heads.base_dense_head import BaseDenseHead
from mmdet.models.detectors import Mask2Former
from mmdet.registry import MODELS, TASK_UTILS
from mmengine.logging import MessageHub
from torch import Tensor, nn

from ...backbones.shared.joining import Unfinished, require_joinable
from ...errors import OptionError
from ...layers import MapNorm, cut_map, require_size, to_map
from .detr_head import require_finite

POWER = 0.9  # of the decline of masked attention
FINEST = 4  # stride of masks in pixels, at most
NO_OBJECT = 0.1  # weight of this class in the loss


class Masks(NamedTuple):
    """What the queries say at one place of the network.

    Attributes:
        scores: (N, Q, classes + 1), logits; the last class is no object.
        masks: (N, Q, h, w), logits.
    """

    scores: Tensor
    masks: Tensor


def mask_probability(step: int, steps: int, block: int, blocks: int) -> float:
    """Return the share of queries whose attention is masked in a joint block.

    It is 1 at first. It declines to 0 within a sixth of the training, which begins after a sixth
    in the first block and after four sixths in the last one, and evenly between.

    Args:
        step: finished iterations of the training.
        steps: iterations of the whole training; 0 if there is none, where all are masked.
        block: number of the joint block, from 0.
        blocks: number of joint blocks.
    """
    start = 1 + 3 * block / max(blocks - 1, 1)  # in sixths
    done = 6 * step / steps - start if steps else 0.0
    return (1 - min(max(done, 0.0), 1.0)) ** POWER


class Upscale(nn.Sequential):
    """Twice the resolution: a transposed convolution, a GELU, a depthwise convolution and a norm.

    Args:
        embed_dims: channels of the maps.
    """

    def __init__(self, embed_dims: int) -> None:
        super().__init__(
            nn.ConvTranspose2d(embed_dims, embed_dims, kernel_size=2, stride=2),
            nn.GELU(),
            nn.Conv2d(embed_dims, embed_dims, 3, padding=1, groups=embed_dims, bias=False),
            MapNorm(embed_dims, eps=1e-6),
        )


class EoMTHead(Mask2FormerHead):
    """Head for objects and stuff. ``forward`` reads an ``Unfinished`` backbone, not its maps.

    Args:
        in_channels: width C of the tokens.
        num_things_classes, num_stuff_classes: classes with and without objects.
        num_queries: number Q of queries: 200 for objects, 100 for semantic segmentation.
        num_blocks: blocks of the backbone that the queries join: 3 of ViT-S and ViT-B, 4 of ViT-L.
        stride: side of a patch in pixels.
        loss_cls, loss_mask, loss_dice: Mask2Former's losses. Without ``class_weight``, no object
            weighs 0.1 and every other class 1.
        train_cfg: matching and points, as Mask2Former's.
        test_cfg: not used here; of the fusion head.
        init_cfg: of mmengine.

    Raises:
        OptionError: ``num_queries`` or ``num_blocks`` is not an integer from 1.
    """

    def __init__(
        self,
        in_channels: int,
        *,
        loss_cls: dict,
        loss_mask: dict,
        loss_dice: dict,
        num_things_classes: int = 80,
        num_stuff_classes: int = 53,
        num_queries: int = 200,
        num_blocks: int = 4,
        stride: int = 16,
        train_cfg: dict | None = None,
        test_cfg: dict | None = None,
        init_cfg: dict | None = None,
    ) -> None:
        BaseDenseHead.__init__(self, init_cfg)  # Mask2Former's would build its decoders
        require_size('num_queries', num_queries)
        require_size('num_blocks', num_blocks)
        self.num_things_classes = num_things_classes
        self.num_stuff_classes = num_stuff_classes
        self.num_classes = num_things_classes + num_stuff_classes
        self.num_queries = num_queries
        self.num_blocks = num_blocks
        self.in_channels = in_channels
        self.stride = stride

        steps = max((stride - 1).bit_length() - (FINEST - 1).bit_length(), 1)
        self.enlarged = 2**steps
        self.query_feat = nn.Embedding(num_queries, in_channels)
        self.norm: nn.Module = nn.Identity()
        self.cls_embed = nn.Linear(in_channels, self.num_classes + 1)
        self.mask_embed = nn.Sequential(
            nn.Linear(in_channels, in_channels),
            nn.GELU(),
            nn.Linear(in_channels, in_channels),
            nn.GELU(),
            nn.Linear(in_channels, in_channels),
        )
        self.upscale = nn.Sequential(*(Upscale(in_channels) for _ in range(steps)))

        weights = [1.0] * self.num_classes + [NO_OBJECT]
        self.class_weight = loss_cls.get('class_weight') or weights
        self.loss_cls = MODELS.build({**loss_cls, 'class_weight': self.class_weight})
        self.loss_mask = MODELS.build(loss_mask)
        self.loss_dice = MODELS.build(loss_dice)
        self.train_cfg = train_cfg
        self.test_cfg = test_cfg
        if train_cfg:
            self.assigner = TASK_UTILS.build(train_cfg['assigner'])
            self.sampler = TASK_UTILS.build(train_cfg['sampler'], default_args={'context': self})
            self.num_points = train_cfg['num_points']
            self.oversample_ratio = train_cfg['oversample_ratio']
            self.importance_sample_ratio = train_cfg['importance_sample_ratio']

    def init_weights(self) -> None:
        BaseDenseHead.init_weights(self)

    def join(self, model: nn.Module) -> None:
        """Fit the head to the backbone of its ``model``.

        Raises:
            OptionError: queries cannot join the tokens of this backbone, or there is a neck.
        """
        for name in ('neck', 'auxiliary_head'):
            if getattr(model, f'with_{name}', False):
                raise OptionError(f'{name}: EoMT reads the tokens of the backbone; remove it')
        if isinstance(require_joinable(model.backbone, self.num_blocks), nn.Identity):
            self.norm = nn.LayerNorm(self.in_channels, eps=1e-6)

    def read(self, backbone: nn.Module, images: Tensor) -> Unfinished:
        """Return the backbone as :meth:`forward` reads it, of images (N, 3, H, W)."""
        return backbone.run_first(images, self.num_blocks)

    def forward(
        self, x: Unfinished, batch_data_samples: list | None = None
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Return logits of classes (N, Q, classes + 1), and of masks (N, Q, h, w).

        Both are lists: in training before each joint block and at the end, else of the end.
        """
        queries = self.query_feat.weight.expand(x.tokens.shape[0], -1, -1)  # (N, Q, C)
        tokens = torch.cat([queries, x.tokens], 1)
        found = []
        for i, block in enumerate(x.blocks):
            bias = None
            if self.training:
                found.append(self.predict_masks(x.norm(tokens), x.size))
                bias = self.bias_of(found[-1].masks, tokens, x.size, i)
            tokens = block(tokens, bias)
        found.append(self.predict_masks(x.norm(tokens), x.size))
        # The last patches may hang over the border of the image. Rounded up by a quotient of what
        # is positive: ONNX rounds a negative one toward zero.
        cells = [(side * self.enlarged + self.stride - 1) // self.stride for side in x.image_size]
        masks = [cut_map(each.masks, (cells[0], cells[1])) for each in found]
        return [each.scores for each in found], masks

    def predict_masks(self, tokens: Tensor, size: tuple[int, int]) -> Masks:
        """Return what normalized tokens (N, Q + P + h * w, C) of the grid ``size`` say."""
        tokens = self.norm(tokens)
        queries = tokens[:, : self.num_queries]
        pixels = self.upscale(to_map(tokens[:, -size[0] * size[1] :], size))
        masks = torch.einsum('nqc,nchw->nqhw', self.mask_embed(queries), pixels)
        return Masks(self.cls_embed(queries), masks)

    def loss_by_feat(
        self,
        all_cls_scores: list[Tensor],
        all_mask_preds: list[Tensor],
        batch_gt_instances: list,
        batch_img_metas: list[dict],
    ) -> dict[str, Tensor]:
        """Return the losses by name, in float32: costs are sums that float16 cannot hold.

        Raises:
            InputError: the predictions are not finite.
        """
        with torch.autocast(all_mask_preds[0].device.type, enabled=False):
            scores = [x.float() for x in all_cls_scores]
            masks = [x.float() for x in all_mask_preds]
            require_finite(torch.stack([x.sum() for x in scores + masks]), batch_img_metas, 'EoMT')
            return super().loss_by_feat(scores, masks, batch_gt_instances, batch_img_metas)

    @torch.no_grad()
    def bias_of(
        self, masks: Tensor, tokens: Tensor, size: tuple[int, int], block: int
    ) -> Tensor | None:
        """Return what masked attention adds to the scores of a joint block, (N, 1, L, L), or None.

        From a query to the patches outside of its mask it is -inf. Everything else attends to
        everything, so no row is empty.
        """
        hub = MessageHub.get_current_instance()
        share = mask_probability(
            hub.get_info('iter', 0), hub.get_info('max_iters', 0), block, self.num_blocks
        )
        if share == 0:
            return None
        outside = F.interpolate(masks, size, mode='bilinear').flatten(2) <= 0  # (N, Q, h * w)
        if share < 1:
            outside &= torch.rand(*outside.shape[:2], 1, device=outside.device) <= share
        count, length, _ = tokens.shape
        bias = tokens.new_zeros(count, 1, length, length)
        bias[:, 0, : self.num_queries, -size[0] * size[1] :].masked_fill_(outside, float('-inf'))
        return bias


class EoMT(Mask2Former):
    """Detector whose head's queries are tokens of its backbone. Arguments as of mmdet's model."""

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, **options)
        self.panoptic_head.join(self)

    def extract_feat(self, batch_inputs: Tensor) -> Unfinished:
        return self.panoptic_head.read(self.backbone, batch_inputs)
