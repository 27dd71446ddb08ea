"""FID: the promises about fidelity."""
