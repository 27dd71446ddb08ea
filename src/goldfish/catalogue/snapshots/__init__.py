"""SNP: the promises about snapshots."""
