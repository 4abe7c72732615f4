"""Ids and scores -> arrays that compare as the ids and scores do."""
