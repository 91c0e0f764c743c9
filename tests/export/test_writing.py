"""What is written answers as the model does, at every number and size; else nothing is written."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from vitbackbones.commands.export import _proof
from vitbackbones.errors import InputError
from vitbackbones.export import formats, writing
from vitbackbones.export.formats import example, require_packages, trace, write_openvino, write_pt2
from vitbackbones.export.parity import IN_HALF
from vitbackbones.export.subject import of_model
from vitbackbones.export.writing import Settings, export, input_of
from vitbackbones.runtime import load
from vitbackbones.runtime.card import Card
from vitbackbones.runtime.runtimes import FORMATS

from .subjects import CLASSES, SIZE, small_subject

for package in ('onnx', 'onnxscript', 'onnxruntime'):
    pytest.importorskip(package)

# slices, shifted windows, two levels, folded circulant paths; and the other formats
KINDS = [(name, 'onnx') for name in ('sret_t', 'swin_t', 'tnt_ti', 'aug_pvt_s')]
KINDS += [('deit_ti', name) for name in FORMATS if name != 'onnx']


def answers(file, number, size=SIZE):
    """What the file answers on random images, and these."""
    image = np.random.default_rng(0).random((number, 3, *size), np.float32)
    return load(file, trusted=True).run(image)['logits'], torch.from_numpy(image)


@torch.no_grad()
@pytest.mark.parametrize(('name', 'format'), KINDS)
def test_a_file_for_any_number_of_images_answers_as_the_model(name, format, tmp_path):
    for package in FORMATS[format].packages:
        pytest.importorskip(package)
    subject, file = small_subject(name), tmp_path / f'model{FORMATS[format].suffix}'
    card = export(subject, Settings(format=format, dynamic=('batch',)), file)
    assert card == Card.read(file)
    assert card.input.shape == [None, 3, *SIZE]
    assert card.outputs[0].shape == [None, CLASSES]
    assert card.parity['images'] == 4
    assert card.parity['differences']['logits'] < 1e-5
    for number in (1, 3):
        found, image = answers(file, number)
        np.testing.assert_allclose(found, subject.network(image)[0], rtol=1e-4, atol=1e-5)


class Two(torch.nn.Module):
    def forward(self, image):
        return image.amin((2, 3)), image.amax((2, 3))


def test_every_output_of_openvino_has_its_name(tmp_path):
    openvino = pytest.importorskip('openvino')
    program = torch.export.export(Two(), (torch.rand(1, 3, 8, 8),))
    write_openvino(program, ('least', 'largest'), tmp_path / 'model.xml')
    ports = openvino.Core().read_model(tmp_path / 'model.xml').outputs
    assert [port.get_any_name() for port in ports] == ['least', 'largest']


@torch.no_grad()
def test_a_file_for_any_size_takes_pictures_of_any(tmp_path):
    subject, file = small_subject('deit_ti'), tmp_path / 'model.onnx'
    settings = Settings(dynamic=('batch', 'size'), preprocess=True)
    card = export(subject, settings, file)
    assert card.input.shape == [None, None, None, 3]
    assert (card.input.dtype, card.input.preprocess_inside) == ('uint8', True)
    pixels = np.random.default_rng(0).integers(0, 256, (1, 80, 112, 3), np.uint8)
    image = (torch.from_numpy(pixels) - torch.tensor(subject.mean)) / torch.tensor(subject.std)
    wanted = subject.network(image.permute(0, 3, 1, 2))[0]  # (N, H, W, 3) -> (N, 3, H, W)
    np.testing.assert_allclose(
        load(file, trusted=True).run(pixels)['logits'], wanted, rtol=1e-4, atol=1e-5
    )


WINDOWS = {'window_size': 2, 'global_attn_indexes': [1]}


@pytest.mark.parametrize(
    ('name', 'options', 'reason'),
    [('sret_t', {}, 'depend'), ('swin_t', {}, 'depend'), ('deit_ti', WINDOWS, 'windows')],
)
def test_a_model_that_cannot_have_any_size_says_why(name, options, reason, tmp_path):
    subject = small_subject(name, **options)
    with pytest.raises(InputError, match=f'the size cannot be dynamic: .*{reason}'):
        export(subject, Settings(dynamic=('size',)), tmp_path / 'model.onnx')
    assert list(tmp_path.iterdir()) == []


def other_weights(program, outputs, file):
    """Write a graph whose answers are not those of the model."""
    for name, weight in program.state_dict.items():
        program.state_dict[name] = torch.nn.Parameter(weight * 1.01, requires_grad=False)
    write_pt2(program, outputs, file)


def cut_short(program, outputs, file):
    """Write what no runtime reads."""
    file.write_bytes(b'half')


@pytest.mark.parametrize(
    ('write', 'message'),
    [
        (other_weights, 'the outputs of the exported file differ from those of the model'),
        (cut_short, 'cannot run it: '),
    ],
)
def test_what_is_not_proved_is_not_kept(write, message, tmp_path, monkeypatch):
    monkeypatch.setattr(formats, 'write_pt2', write)
    file = tmp_path / 'model.pt2'
    file.write_bytes(b'of before')
    with pytest.raises(InputError, match=message):
        export(small_subject('deit_ti'), Settings(format='pt2'), file)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {
        'model.pt2': b'of before'
    }


class Rounded(torch.nn.Module):
    """Lose digits of the answers of a network."""

    outputs, fixed_size = ('logits',), ''

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, image):
        return (self.network(image)[0] + 1e5 - 1e5,)


@pytest.mark.parametrize('preprocess', [False, True])
def test_a_refusal_says_that_rounding_decides_what_the_model_answers(
    preprocess, tmp_path, monkeypatch
):
    monkeypatch.setattr(formats, 'write_pt2', other_weights)
    subject = small_subject('deit_ti')
    settings = Settings(format='pt2', preprocess=preprocess)
    with pytest.raises(InputError) as refused:
        export(subject, settings, tmp_path / 'model.pt2')
    assert 'double precision' not in str(refused.value)
    subject = replace(subject, network=Rounded(subject.network))
    with pytest.raises(InputError, match='The model itself differs in double precision'):
        export(subject, settings, tmp_path / 'model.pt2')


@pytest.mark.parametrize('format', [*FORMATS])
def test_a_full_disk_is_one_line_in_every_format(format, tmp_path):
    for package in FORMATS[format].packages:
        pytest.importorskip(package)
    subject = small_subject('deit_ti')
    program = trace(subject.network, example(SIZE, 1, (), False), ())
    file = tmp_path / f'model{FORMATS[format].suffix}'
    file.symlink_to('/dev/full')
    file.with_suffix('.bin').symlink_to('/dev/full')  # of OpenVINO
    with pytest.raises(InputError, match=r'cannot be written \(.*\); the disk has [\d.]+ MB left'):
        formats.write(format, program, subject.network.outputs, file)


def test_a_missing_package_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, 'onnxruntime', None)
    with pytest.raises(InputError, match=r"pip install 'vitbackbones\[export\]'"):
        require_packages('onnx')


@pytest.mark.grid
@pytest.mark.parametrize('dynamic', [(), ('batch',)], ids=['static', 'batch'])
def test_every_model_by_name_reaches_onnx(model_name, dynamic, tmp_path):
    subject = of_model(model_name, None, trained=False)
    card = export(subject, Settings(dynamic=dynamic), tmp_path / 'model.onnx')
    assert card.parity['differences']['logits'] < 1e-5


def test_steps_end_in_the_size_that_was_asked_for(tmp_path):
    card = export(
        small_subject('deit_ti'), Settings(format='pt2', size=(96, 80)), tmp_path / 'model.pt2'
    )
    assert card.input.shape == [1, 3, 96, 80]
    assert card.steps == [{'type': 'resize', 'size': [96, 80]}]
    steps = [{'type': kind, 'size': [96, 80]} for kind in ('resize_into', 'pad')]
    said = [' '.join(_proof(each)) for each in (card, replace(card, steps=steps))]
    assert [('do not become 96 x 80 pixels are padded' in each) for each in said] == [False, True]


@pytest.mark.parametrize(('precision', 'wrong'), [('bf16', False), ('bf16', True), ('f32', False)])
def test_a_card_says_how_a_file_answers_where_nothing_is_set(
    tmp_path, monkeypatch, precision, wrong
):
    """On a processor that has bfloat16, also where the runtime's answers in it are wrong."""
    start = writing.start_openvino

    def start_wrongly(file, precision):
        graph = start(file, precision='f32')
        return replace(graph, run=lambda image: [-each for each in graph.run(image)])

    monkeypatch.setattr(writing, 'own_precision', lambda: precision)
    if wrong:
        monkeypatch.setattr(writing, 'start_openvino', start_wrongly)
    card = export(small_subject('deit_ti'), Settings(format='openvino'), tmp_path / 'model.xml')
    found = card.parity['by_itself']
    assert found['precision'] == precision
    assert found.keys() == {'precision'} | ({'differences'} if precision == 'bf16' else set())
    said = ' '.join(_proof(card))
    if precision == 'bf16':
        assert 'bf16, the default of OpenVINO on this machine' in said
        assert (found['differences']['logits'] > IN_HALF) == wrong
    assert ('Set INFERENCE_PRECISION_HINT to f32' in said) == wrong


def test_a_file_for_the_cache_is_compared_in_float32_alone(tmp_path):
    settings, file = Settings(format='openvino'), tmp_path / 'model.xml'
    card = export(small_subject('deit_ti'), settings, file, elsewhere=False)
    assert 'by_itself' not in card.parity


@pytest.mark.parametrize(
    ('preprocess', 'form'),
    [
        (False, ('float32', 'NCHW', [None, 3, None, None])),
        (True, ('uint8', 'NHWC', [None, None, None, 3])),
    ],
)
def test_the_input_of_a_graph(preprocess, form):
    subject = SimpleNamespace(mean=[1.0], std=[2.0])
    given = input_of(subject, preprocess)
    assert (given.dtype, given.layout, given.shape) == form
    assert (given.preprocess_inside, given.color) == (preprocess, 'rgb')
    assert (given.mean, given.std) == ([1.0], [2.0])
