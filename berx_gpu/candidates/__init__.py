"""What the candidates allow."""
