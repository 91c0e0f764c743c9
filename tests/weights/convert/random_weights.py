"""Other packages' models with random weights, to compare with after conversion."""

import torch

from vitbackbones.weights.filling import load_pretrained


def randomize(model):
    """Move every parameter away from its initial value; in eval mode."""
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.05)
    for module in model.modules():  # eval() fails in mmpretrain's backbones, whose train() ends
        module.training = False  # without returning the module
    return model


@torch.no_grad()
def assert_same_logits(theirs, ours, folder, layout, **call):
    """Save, load and compare; nothing of the file may be left over."""
    torch.save(theirs.state_dict(), folder / 'theirs.pth')
    coverage = load_pretrained(ours, folder / 'theirs.pth')
    assert coverage.format == layout
    assert coverage.unused == ()
    image = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(1))
    expected = theirs(image, **call)
    torch.testing.assert_close(ours.eval()(image), expected, atol=2e-5, rtol=1e-5)
