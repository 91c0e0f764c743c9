"""SETR-MLA on MSF-ViT-S: the path that this config had first; see ade20k/setr_mla_msf_vit_s.py."""

_base_ = 'ade20k/setr_mla_msf_vit_s.py'
