"""FLT: the promises about faults."""
