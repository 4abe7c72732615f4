"""A clustering against the true one."""
