"""Entities and pairs, encoded side by side and ready to be matched."""
