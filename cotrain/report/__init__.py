"""Readers of a result: terminal, divergence card, JSON. None of them knows .NET."""
