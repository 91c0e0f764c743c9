"""Models of OpenMMLab and forms of ours beside those of ``benchmarks.model_sources``.

==========================  ======================================================
``mmpretrain:``             a name of ``mmpretrain.list_models()``
``mmdet:``                  the backbone of one of mmdet's own configs, by the file's name
``plain:``                  written straight from the equations, as ``tests/reference`` has it
``onnxruntime:``            the folded form in ONNX Runtime, on a CPU in float32
``openvino:``               the same in OpenVINO
``openvino_int8:``          the same in 8 bits, with ranges of noise
``openvino_bf16:``          the same in bfloat16
``config:``                 the model of a config, with the weights that come along
``config_fused:``           the same after ``fuse_model``
``config_compiled:``        the whole graph after ``fuse_for_inference(compile=True)``
``config_onnxruntime:``     the same in ONNX Runtime
``config_openvino:``        the same in OpenVINO
==========================  ======================================================
"""

import tempfile
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path

import numpy as np
import torch
from mmengine.config import Config
from torch import Tensor, nn

from tests.reference.models import PlainModel
from vitbackbones.configuration.read import read_config
from vitbackbones.errors import InputError
from vitbackbones.export.formats import trace, write_onnx
from vitbackbones.export.judges import FEWEST
from vitbackbones.export.lower_precision import quantized
from vitbackbones.export.models import exportable
from vitbackbones.layers import fuse_for_inference
from vitbackbones.openmmlab.fusing import fuse_model
from vitbackbones.runtime.runtimes import Graph, start_onnxruntime, start_openvino
from vitbackbones.tasks import TASKS
from vitbackbones.tasks.predictor import Predictor
from vitbackbones.utils.packages import import_optional
from vitbackbones.weights.trained import trained_weights

from . import model_sources
from .model_sources import Size, build_ours, require_known

Start = Callable[[bytes, int], Graph]


class Exported(nn.Module):
    """A graph that another runtime computes, exported when the first images come.

    Args:
        graph: in eval mode; maps images (N, 3, H, W) to a tensor or to several.
        names: of what it answers.
        start: reads an ONNX graph, given the number of threads.
    """

    def __init__(self, graph: nn.Module, names: tuple[str, ...], start: Start) -> None:
        super().__init__()
        self.graph = graph
        self.names = names
        self.start = start
        self.runtime: Graph | None = None

    @torch.compiler.disable
    def forward(self, image: Tensor) -> Tensor | list[Tensor]:
        """Map images (N, 3, H, W), always as many of one size, to what the graph answers."""
        if image.dtype != torch.float32 or image.device.type != 'cpu':
            raise InputError('other runtimes are measured on a CPU in float32 only')
        if self.runtime is None:
            self.runtime = self.start(self._as_onnx(image), torch.get_num_threads())
        outputs = [torch.from_numpy(x) for x in self.runtime.run(image.numpy())]
        return outputs if len(outputs) > 1 else outputs[0]

    @torch.inference_mode(False)
    @torch.no_grad()
    def _as_onnx(self, image: Tensor) -> bytes:
        program = trace(self.graph, image.clone(), ())
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, 'graph.onnx')
            write_onnx(program, self.names, file)
            return file.read_bytes()


def _start_int8(graph: bytes, threads: int) -> Graph:
    openvino = import_optional('openvino', 'openvino')
    model = openvino.Core().read_model(BytesIO(graph))
    draw = np.random.default_rng(0)

    def noise(_: int) -> np.ndarray:
        return draw.standard_normal(model.input().shape).astype(np.float32)

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, 'graph.xml')
        openvino.save_model(
            quantized(model, range(FEWEST), noise, smooth=False), file, compress_to_fp16=False
        )
        return start_openvino(file, threads)


def _mmpretrain(name: str, size: Size, features: bool) -> nn.Module:
    mmpretrain = import_optional('mmpretrain', 'onedl-mmpretrain')
    require_known(name, mmpretrain.list_models(), 'mmpretrain')
    model = mmpretrain.get_model(name, pretrained=False)
    return model.backbone if features else model


def _mmdet(name: str, size: Size, features: bool) -> nn.Module:
    mmdet = import_optional('mmdet', 'onedl-mmdetection')
    files = {path.stem: path for path in Path(mmdet.__file__).parent.glob('.mim/configs/*/*.py')}
    require_known(name, list(files), 'mmdet')
    if not features:
        raise InputError(f'mmdet:{name} has feature maps only: compare it with --features')
    config = Config.fromfile(files[name]).model.backbone
    config.pop('init_cfg', None)
    from mmdet import models  # noqa: F401  fills the registry
    from mmdet.registry import MODELS as BACKBONES

    return BACKBONES.build(config)


def _plain(name: str, size: Size, features: bool) -> nn.Module:
    if features:
        raise InputError(f'plain:{name} has logits only, no feature maps')
    return PlainModel(build_ours(name, size, features))


def _exported(start: Start, name: str, size: Size, features: bool) -> nn.Module:
    if features:
        raise InputError(f'{name}: other runtimes are measured with logits, not feature maps')
    folded = build_ours(name, size, features).fuse_for_inference()
    return Exported(folded, ('logits',), start)


def _of_config(
    name: str, size: Size, features: bool, change: Callable[[nn.Module], nn.Module] = nn.Module.eval
) -> nn.Module:
    """Return the model of a config, changed, as a graph from images to its answers.

    Raises:
        InputError: no weights come along with the package, or feature maps are asked for.
    """
    trained = trained_weights()
    if name not in trained or features:
        known = ', '.join(trained)
        raise InputError(f'config:{name}: timed are whole models with weights of ours: {known}')
    config = read_config(name)
    predictor = Predictor(config, trained[name], torch.device('cpu'))
    return exportable(change(predictor.model), TASKS[config.default_scope]).eval()


def _exported_config(start: Start, *given) -> nn.Module:
    graph = _of_config(*given)
    return Exported(graph, graph.outputs, start)


SOURCES = {
    **model_sources.SOURCES,
    'mmpretrain': _mmpretrain,
    'mmdet': _mmdet,
    'plain': _plain,
    'onnxruntime': partial(_exported, start_onnxruntime),
    'openvino': partial(_exported, start_openvino),
    'openvino_int8': partial(_exported, _start_int8),
    'openvino_bf16': partial(_exported, partial(start_openvino, precision='bf16')),
    'config': _of_config,
    'config_fused': partial(_of_config, change=fuse_model),
    'config_compiled': lambda *given: fuse_for_inference(_of_config(*given), compile=True),
    'config_onnxruntime': partial(_exported_config, start_onnxruntime),
    'config_openvino': partial(_exported_config, start_openvino),
}
