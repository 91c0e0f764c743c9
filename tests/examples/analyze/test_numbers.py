"""The numbers of the analyses against plain formulas and cases that are known."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from examples.analyze import attention_maps, diversity
from examples.analyze.reading import reading
from examples.analyze.subjects import Subject
from vitbackbones.backbones import PVT, Swin, ViT

TINY = {'embed_dims': 24, 'depth': 2, 'num_heads': 2}
OPTIONS = SimpleNamespace(blocks=None, pictures=2, size=None, query=None)


def subject(model, images=2, size=(64, 64)):
    shown = [torch.randn(1, 3, *size) for _ in range(images)]
    photos = [np.zeros((*size, 3), np.uint8)] * images
    return Subject('model', model.eval(), shown, photos)


def tokens_of(model, image):
    with reading(model) as found, torch.no_grad():
        model(image)
    return [place.patches[0] for place in found.tokens]


def test_diversity_is_the_composite_norm_of_what_is_left_of_the_mean():
    z = np.random.default_rng(0).normal(size=(5, 3))
    rest = z - z.mean(0)
    norm = np.sqrt(np.abs(rest).sum(0).max() * np.abs(rest).sum(1).max())
    given = torch.tensor(z)
    assert diversity.distance_from_rank_one(given).item() == pytest.approx(norm)
    lengths = np.linalg.norm(z, axis=1)
    cosines = z @ z.T / np.outer(lengths, lengths)
    others = ~np.eye(5, dtype=bool)
    assert diversity.mean_cosine(given).item() == pytest.approx(cosines[others].mean())


def test_rows_by_place_are_means_over_the_images():
    looked_at = subject(ViT(TINY, img_size=64))
    read = [tokens_of(looked_at.model, image) for image in looked_at.images]
    lengths = [[place.norm(dim=1).mean().item() for place in places] for places in read]
    rows = diversity.measure_norms(looked_at, OPTIONS)
    places = [(row['depth'], row['block'], row['pass']) for row in rows]
    assert places == [(0, 0, 0), (1, 1, 1), (2, 2, 1)]
    assert [row['norm'] for row in rows] == pytest.approx(np.mean(lengths, 0).tolist())
    columns = list(diversity.measure_diversity(looked_at, OPTIONS)[0])
    assert columns[3:] == ['r', 'relative_r', 'mean_cosine', 'log10_bound']


def calls(model, image, block=1):
    with reading(model, attention=[block]) as found, torch.no_grad():
        model(image)
    return found.attention


def test_the_class_token_looks_at_patches():
    model = ViT(TINY, img_size=64).eval()
    call = calls(model, torch.randn(1, 3, 48, 64))[0]
    query, values = attention_maps.looked_at(call)
    assert (query, values.shape) == ('class_token', (3, 4))
    torch.testing.assert_close(values.flatten(), call.values[0, :, 0, 1:].mean(0))
    query, values = attention_maps.looked_at(call, 'all')
    assert query == 'all'
    torch.testing.assert_close(values.flatten(), call.values[0, :, :, 1:].mean((0, 1)))


def test_reduced_keys_stand_on_a_grid_of_the_same_shape():
    model = PVT({'base': 't', 'depths': (1, 1, 1, 1)}).eval()
    _, values = attention_maps.looked_at(calls(model, torch.randn(1, 3, 64, 128))[0])
    assert values.shape == (2, 4)
    assert values.sum().item() == pytest.approx(1)


def test_windows_are_put_back_in_place():
    model = Swin({'base': 't', 'depths': (2, 1, 1, 1)}).eval()
    image = torch.randn(1, 3, 56, 56)  # 2 x 2 windows of 7 x 7 tokens
    plain, shifted = (calls(model, image, block)[0] for block in (1, 2))
    windows = plain.values.mean((1, 2)).unflatten(1, (7, 7))  # (4, 7, 7)
    rows = [torch.cat(tuple(windows[i : i + 2]), 1) for i in (0, 2)]
    torch.testing.assert_close(attention_maps.looked_at(plain)[1], torch.cat(rows))
    windows = shifted.values.mean((1, 2)).unflatten(1, (7, 7))
    rows = [torch.cat(tuple(windows[i : i + 2]), 1) for i in (0, 2)]
    rolled = torch.cat(rows).roll((3, 3), (0, 1))
    torch.testing.assert_close(attention_maps.looked_at(shifted)[1], rolled)
    assert not model.layers[0].blocks[0].attn._forward_hooks


@pytest.mark.parametrize('kind', ['NoShortcut', 'IdentityShortcut', 'AugmentedShortcut'])
def test_random_models_stay_below_the_bounds_of_the_theorems(kind):
    for seed in range(3):
        torch.manual_seed(seed)
        looked_at = subject(ViT({**TINY, 'depth': 4}, img_size=64, shortcut={'type': kind}))
        for block in looked_at.model.blocks:
            block.norm1 = block.norm2 = torch.nn.Identity()  # the theorems have none
        rows = diversity.measure_diversity(looked_at, OPTIONS)
        assert rows[0]['log10_bound'] == pytest.approx(np.log10(rows[0]['r']))
        assert all(row['r'] <= 10 ** row['log10_bound'] for row in rows[1:])


def test_one_attention_without_a_shortcut_has_the_bound_of_theorem_1():
    model = ViT({**TINY, 'depth': 1}, shortcut={'type': 'NoShortcut', 'location': 'attention'})
    block = model.blocks[0]
    torch.nn.init.zeros_(block.mlp.fc2.weight)
    q, k, v = block.attn.qkv.weight.detach().numpy().reshape(3, 2, 12, 24)
    out = block.attn.proj.weight.detach().numpy().T.reshape(2, 12, 24)
    gamma = 0
    for h in range(2):
        both = v[h].T @ out[h]
        norms = [np.linalg.norm(both, order) for order in (1, np.inf)]
        gamma += np.linalg.norm(q[h].T @ k[h], 1) * np.sqrt(np.prod(norms))
    (_, found) = diversity.log_bounds(5.0, [block])
    assert found == pytest.approx(np.log10(4 * gamma / np.sqrt(12) * 5**3))


def test_reduced_keys_have_no_bound():
    model = PVT({'base': 't', 'depths': (1, 1, 1, 1)})
    rows = diversity.measure_diversity(subject(model), OPTIONS)
    assert np.isnan([row['log10_bound'] for row in rows]).all()


def test_a_path_without_a_projection_and_a_single_token_have_bounds():
    model = ViT(
        TINY,
        img_size=16,
        shortcut={
            'type': 'AugmentedShortcut',
            'paths': 1,
            'projection': 'none',
            'activation': 'GELU',
            'location': 'mlp',
        },
    )
    rows = diversity.measure_diversity(subject(model, size=(16, 16)), OPTIONS)
    assert {row['log10_bound'] for row in rows} == {-np.inf}
