"""Files <-> tables, whole or not at all."""
