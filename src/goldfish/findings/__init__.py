"""What is said about a memory: kinds of findings, results, verdicts and remedies."""
