"""Hooks of training and evaluation."""

from mmengine.hooks import Hook


class FormerHook(Hook):
    """Does nothing: dumped configs of earlier runs contain hooks that were removed or merged."""

    def __init__(self, **_) -> None:
        pass


CoefficientsHook = LogFolderHook = PicturesHook = ProgressHook = RunPageHook = FormerHook
