"""REC: the promises about recall."""
