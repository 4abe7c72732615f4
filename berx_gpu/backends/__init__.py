"""One set of functions per device, chosen once per call."""
