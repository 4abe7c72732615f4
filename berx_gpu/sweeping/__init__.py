"""Every threshold at once."""
