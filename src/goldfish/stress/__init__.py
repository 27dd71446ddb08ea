"""Many callers at once: workloads, fleets, nemeses, and the smallest case that still breaks."""
