"""The surroundings of a check: a private place, and the faults that can happen to it."""
