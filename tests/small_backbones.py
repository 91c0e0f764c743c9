"""Backbones in small forms of our own, for pictures of 128 pixels; settings as in a config."""

import copy

import torch

PLAIN = {'arch': {'embed_dims': 128, 'depth': 4, 'num_heads': 4}, 'img_size': 128}
PVT = {
    'arch': {
        'depths': (1, 1, 2, 1),
        'embed_dims': (32, 64, 96, 128),
        'num_heads': (1, 2, 3, 4),
        'mlp_ratios': (4, 4, 4, 4),
        'sr_ratios': (8, 4, 2, 1),
    },
    'img_size': 128,
}
SWIN = {
    'arch': {'embed_dims': 32, 'depths': (2, 2, 2, 2), 'num_heads': (1, 2, 4, 8)},
    'img_size': 128,
    'window': 4,
}
SRET = {
    'stem_dims': (32, 64, 64),
    'embed_dims': (64, 128, 256),
    'num_heads': (2, 4, 8),
    'depths': (1, 2, 1),
    'passes': 2,
    'mlp_ratio': 3.0,
    'nll_ratio': 1.0,
}
RESNET = {'type': 'ResNet', 'depth': 50, 'num_stages': 4, 'out_indices': (0, 1, 2, 3)}
SMALL = {
    'ViT': {'type': 'vitbackbones.ViT', **PLAIN},
    'AugViT': {'type': 'vitbackbones.AugViT', **PLAIN},
    'SimpleViT': {'type': 'vitbackbones.SimpleViT', **PLAIN},
    'MSFViT': {'type': 'vitbackbones.MSFViT', **PLAIN},
    'AugT2T': {'type': 'vitbackbones.AugT2T', **PLAIN},
    'TNT': {
        'type': 'vitbackbones.TNT',
        'arch': {**PLAIN['arch'], 'inner_dims': 12, 'inner_heads': 2},
        'img_size': 128,
    },
    'PVT': {'type': 'vitbackbones.PVT', **PVT},
    'AugPVT': {'type': 'vitbackbones.AugPVT', **PVT},
    'Swin': {'type': 'vitbackbones.Swin', **SWIN},
    'MSFSwin': {'type': 'vitbackbones.MSFSwin', **SWIN},
    'SReT': {'type': 'vitbackbones.SReT', 'arch': SRET, 'img_size': 128},
    'ResNet': {**RESNET, 'base_channels': 16},
}


def small(name):
    """The settings of a small backbone, which the test may change."""
    return copy.deepcopy(SMALL[name])


def away(model):
    """Move all that a model learns away from its initial values; in eval mode."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return model.eval()


def image(height=64, width=96, batch=2):
    """The same random images in every call."""
    return torch.randn(batch, 3, height, width, generator=torch.Generator().manual_seed(1))
