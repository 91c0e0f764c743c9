"""The ablations that papers print, a file for each paper."""

from .aug_vit import AUG_VIT
from .msf import MSF
from .sret import SRET
from .table import Ablation, Paper, Table, arguments, model_spec, walk
from .tnt import TNT

PAPERS = (SRET, MSF, AUG_VIT, TNT)

__all__ = ['PAPERS', 'Ablation', 'Paper', 'Table', 'arguments', 'model_spec', 'walk']
