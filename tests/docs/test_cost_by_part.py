"""Operations by part against the papers' equations and the count of the whole."""

import pytest

from vitbackbones.backbones import TNT, SReT, ViT

from ..commands.conftest import load_tool

count_parts = load_tool('site/cost_by_part').count_parts


def transformer(tokens, dims):
    """Multiply-adds of a block (TNT, Eq. 14): 2 n d (6 d + n)."""
    return 2 * tokens * dims * (6 * dims + tokens)


def test_the_parts_are_the_whole(make_backbone):
    model = make_backbone(img_size=64)
    whole = load_tool('site/complexity').measure(lambda: make_backbone(img_size=64), (64, 96))
    parts = count_parts(model, (64, 96))
    assert sum(part['macs'] for part in parts.values()) == pytest.approx(whole.macs)
    own = sum(parameter.numel() for parameter in model.parameters())
    assert sum(part['parameters'] for part in parts.values()) == own


def test_a_block_of_a_transformer_costs_what_the_equation_says():
    arch = {'embed_dims': 768, 'depth': 1, 'num_heads': 12}
    parts = count_parts(ViT(arch, with_cls_token=False), (224, 224))
    names = ('attention scores', 'attention projections', 'MLP')
    counted = [parts[name]['macs'] for name in names]
    assert counted == [2 * 196**2 * 768, 4 * 196 * 768**2, 8 * 196 * 768**2]
    assert sum(counted) == transformer(196, 768)
    assert round(sum(counted) / 1e6) == 1446  # as printed


def test_a_block_of_tnt_costs_what_the_equations_say():
    n, m, d, c = 196, 64, 768, 12  # 8 x 8 pixel tokens, in patches of 32 x 32
    arch = {'embed_dims': d, 'depth': 1, 'num_heads': 12, 'inner_dims': c, 'inner_heads': 2}
    parts = count_parts(TNT(arch, patch_size=32, img_size=448), (448, 448))
    inner = sum(part['macs'] for name, part in parts.items() if name.startswith('inner'))
    outer = sum(parts[k]['macs'] for k in ('attention scores', 'attention projections', 'MLP'))
    assert inner == n * transformer(m, c)
    assert parts['pixels to patch']['macs'] == n * m * c * d
    assert outer == transformer(1 + n, d)  # the equation leaves the class token out
    printed = transformer(n, d) + n * transformer(m, c) + n * m * c * d
    assert round(printed / 1e6) == 1603


def test_as_many_slices_as_passes_make_the_scores_of_one_global_pass():
    def scores(**options):
        model = SReT({'base': 't', 'depths': (1, 1, 1)}, **options)
        return count_parts(model, (224, 224))['attention scores']['macs']

    # C_GSA = (N / G) C_VSA with N passes and G slices (SReT, Eq. 11); 784, 196 and 49 tokens
    once, tokens = scores(passes=1, groups=None), (784, 196, 49)
    assert scores(passes=2, groups=None) == 2 * once
    twice = scores(passes=2, groups=[[2, 2]] * 3)
    cut = [(length // 2) ** 2 + (length - length // 2) ** 2 for length in tokens]
    widths = (64, 128, 256)
    assert twice == sum(2 * 2 * part * width for part, width in zip(cut, widths, strict=True))
    assert twice == pytest.approx(once, rel=1e-4)  # 49 tokens do not make two equal slices
    four = scores(passes=4, groups=[[4] * 4, [4] * 4, [1] * 4])
    assert four == pytest.approx(once + 3 * 2 * 49**2 * 256)
