"""Formulas over plain arrays that know no entity."""
