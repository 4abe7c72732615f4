"""Matching by kernels in threads."""
