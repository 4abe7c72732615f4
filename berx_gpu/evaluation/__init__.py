"""One prediction against one truth."""
