"""A starter for a pair of your own: ``python -m cotrain.new DIR``."""

from cotrain.new.starter import write_pair

__all__ = ["write_pair"]
