"""Unique 64-bit IDs: segments and snowflakes from leased ranges."""

from ._native import engine_version

__version__ = engine_version()
__all__ = ["__version__"]
