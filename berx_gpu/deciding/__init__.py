"""Links without a truth: choose them, look at them."""
