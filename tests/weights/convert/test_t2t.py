"""T2T-ViT's published layout: the Performer's row order, wrappers, refusal of the other form."""

import pytest
import torch

from tests.golden.fill import fill_state_dict, load
from vitbackbones import create_model
from vitbackbones.errors import InputError
from vitbackbones.weights.convert import convert


def test_keys_queries_values_become_queries_keys_values():
    published = fill_state_dict(load('t2t_14'))
    k, q, v = published['tokens_to_token.attention1.kqv.weight'].chunk(3)
    converted, layout = convert(published)
    assert layout == 't2t'
    joined = converted['patch_embed.attention1.attn.qkv.weight']
    assert torch.equal(joined, torch.cat([q, k, v]))
    assert len(converted) == len(published)


@pytest.mark.parametrize(
    ('file', 'model', 'tokens'),
    [('t2t_14', 't2t_t_14', 'performer'), ('t2t_t_14', 't2t_14', 'transformer')],
)
def test_a_file_of_the_other_form_is_refused_and_described(file, model, tokens, tmp_path):
    torch.save(fill_state_dict(load(file)), tmp_path / 't2t.pth')
    with pytest.raises(InputError, match=f"depth 14 with tokens='{tokens}'"):
        create_model(model, checkpoint=tmp_path / 't2t.pth')
