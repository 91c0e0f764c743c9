"""docs/weights.md is what the table in the code says."""

from .conftest import ROOT, load_tool


def test_the_page_is_what_the_tool_writes():
    assert (ROOT / 'docs' / 'weights.md').read_text() == '\n'.join(
        load_tool('weights_table').text()
    )


def test_a_line_has_all_that_is_known_of_a_file():
    lines = (ROOT / 'docs' / 'weights.md').read_text().splitlines()
    (line,) = (line for line in lines if line.startswith('| `deit_b_384` |'))
    for fact in ('`deit_b`', '82.9', '384 bicubic', '1.0', "ImageNet's", 'apache-2.0', '8de9b5d1'):
        assert f'| {fact} |' in line
    assert '`hf-hub:timm/deit_base_patch16_384.fb_in1k`' in line
    assert '| `aug_vit_s` | `deit_s` | `*.shortcut_*` |' in lines
