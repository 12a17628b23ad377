"""A prompt with NumPy, NumSharp and a pair of trainers: ``python -m cotrain.repl``."""
