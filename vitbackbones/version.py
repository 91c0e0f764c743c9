"""The version, alone in a file so that building can read it without importing the package."""

__version__ = '1.1.0'
