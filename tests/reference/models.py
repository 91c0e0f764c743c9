"""The plain forms as whole classifiers, to be compared and timed beside the package's own."""

from functools import cached_property

from torch import Tensor, nn

from vitbackbones import backbones
from vitbackbones.checkpoints.convert.msf import convert_msf

from .mixer import mixer
from .msf import plain_logits, published_state
from .plain import linear
from .pvt import pvt
from .sret import plain_sret
from .swin import swin
from .t2t import t2t
from .tnt import tnt
from .vit import vit


def _heads(block: nn.Module) -> int:
    return block.attn.num_heads


def _vit(backbone: nn.Module, w: dict, image: Tensor) -> Tensor:
    return linear(w, 'head.fc', vit(w, image, _heads(backbone.blocks[0]))[:, 0])


def _t2t(backbone: nn.Module, w: dict, image: Tensor) -> Tensor:
    return linear(w, 'head.fc', t2t(w, image, _heads(backbone.blocks[0]))[:, 0])


def _tnt(backbone: nn.Module, w: dict, image: Tensor) -> Tensor:
    block = backbone.blocks[0]
    forms = {'stem': backbone.pixel_embed.stem, 'projection': block.to_patch.form}
    x = tnt(w, image, _heads(block.outer), _heads(block.inner), **forms)
    return linear(w, 'head.fc', x[:, 0])


def _msf(backbone: nn.Module, w: dict, image: Tensor) -> Tensor:
    return plain_logits(w, image, _heads(backbone.blocks[0]))


def _pvt(backbone: nn.Module, w: dict, image: Tensor) -> Tensor:
    depths = [len(stage.blocks) for stage in backbone.stages]
    heads = [_heads(stage.blocks[0]) for stage in backbone.stages]
    return linear(w, 'head.fc', pvt(w, image, depths, heads)[:, 0])


def _swin(backbone: nn.Module, w: dict, image: Tensor) -> Tensor:
    depths = [len(layer.blocks) for layer in backbone.layers]
    return swin(w, image, depths, [_heads(layer.blocks[0]) for layer in backbone.layers])


def _mixer(backbone: nn.Module, w: dict, image: Tensor) -> Tensor:
    return mixer(w, image, len(backbone.blocks), backbone.passes)


def _published_names(model: nn.Module, state: dict) -> dict:
    with_probe = isinstance(model.backbone, backbones.MSFViT)
    names = published_state(4, len(model.backbone.blocks), with_probe=with_probe)
    ours = model.split_converted(convert_msf({name: name for name in names}))
    return {published: state[name] for name, published in ours.items()}


FORMS = {
    backbones.ViT: _vit,
    backbones.AugViT: _vit,
    backbones.T2T: _t2t,
    backbones.AugT2T: _t2t,
    backbones.TNT: _tnt,
    backbones.SimpleViT: _msf,
    backbones.MSFViT: _msf,
    backbones.SReT: plain_sret,
    backbones.PVT: _pvt,
    backbones.AugPVT: _pvt,
    backbones.Swin: _swin,
    backbones.MSFSwin: _swin,
    backbones.Mixer: _mixer,
    backbones.RecursiveMixer: _mixer,
}


class PlainModel(nn.Module):
    """The plain form of a classifier of ``create_model``, with that classifier's own tensors.

    Takes square images of the size that the classifier is made for. Dropout and stochastic depth
    are left out, so in training mode it is the same function where their rates are 0.

    The tensors are looked up at the first call, so move or convert the model before it.

    Args:
        model: the classifier.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.form = FORMS[type(model.backbone)]

    @cached_property
    def weights(self) -> dict[str, Tensor]:
        state = self.model.state_dict(keep_vars=True)
        if self.form is _msf:
            return _published_names(self.model, state)
        return {key.removeprefix('backbone.'): value for key, value in state.items()}

    def forward(self, image: Tensor) -> Tensor:
        """Map images (N, 3, S, S) to logits (N, num_classes)."""
        return self.form(self.model.backbone, self.weights, image)
