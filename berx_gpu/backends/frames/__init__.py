"""Matching by joins and array operations: one source for cuDF and pandas."""
