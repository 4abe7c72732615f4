"""Whatever a caller hands over -> checked columns."""
