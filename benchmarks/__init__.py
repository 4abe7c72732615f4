"""Workloads and their peers; see README.md beside this file."""
