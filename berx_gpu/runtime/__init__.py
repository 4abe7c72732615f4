"""How a long call runs: threads, and who is told how far it has come."""
