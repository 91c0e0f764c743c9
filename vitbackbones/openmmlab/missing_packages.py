"""What toolboxes import although no model of this package needs it."""

from importlib.metadata import PackageNotFoundError, version


def without_new_transformers(with_multimodal: bool) -> bool:
    """Leave mmpretrain's multimodal models out where transformers is too new for them."""
    try:
        return with_multimodal and int(version('transformers').partition('.')[0]) < 5
    except PackageNotFoundError:
        return with_multimodal
