"""Default hooks that a config takes out: ``default_hooks.curves=None``."""

from mmengine.hooks import Hook


class OptionalHooks:
    """A runner in which ``None`` takes out any default hook; mmengine's takes out its own alone."""

    def register_default_hooks(self, hooks: dict | None = None) -> None:
        """Register hooks by their names; in place of ``None`` one that does nothing."""
        super().register_default_hooks(
            {name: hook or Hook() for name, hook in (hooks or {}).items()}
        )
