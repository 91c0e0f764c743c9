"""Default hooks that do nothing: taken out, ``default_hooks.curves=None``, or of earlier dumps."""

from mmengine.hooks import Hook


class OptionalHooks:
    """A runner in which ``None`` takes out any default hook; mmengine's takes out its own alone."""

    def register_default_hooks(self, hooks: dict | None = None) -> None:
        """Register hooks by their names; in place of ``None`` one that does nothing."""
        super().register_default_hooks(
            {name: hook or Hook() for name, hook in (hooks or {}).items()}
        )


class RunPageHook(Hook):
    """Does nothing: dumps of earlier runs name it for a part of what ``TrackHook`` does."""

    def __init__(self, **_) -> None:
        pass


class PicturesHook(RunPageHook):
    """Does nothing, as :class:`RunPageHook`."""
