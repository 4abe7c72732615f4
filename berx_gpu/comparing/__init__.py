"""Which system is better."""
