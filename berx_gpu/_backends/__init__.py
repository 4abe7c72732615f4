"""The libraries that a call runs on; only `select` is imported from outside."""
