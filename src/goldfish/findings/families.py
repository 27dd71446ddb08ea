"""The families of checks: the letters of their codes, and what they are about."""

FAMILIES = {
    "ISO": "isolation",
    "DUR": "durability",
    "ORD": "order",
    "CON": "concurrency",
    "FID": "fidelity",
    "TRM": "trimming",
    "CLR": "clearing",
    "TTL": "expiry",
    "FLT": "faults",
    "SNP": "snapshots and rollback",
    "DUP": "duplication",
    "REC": "recall",
    "REV": "revision and forgetting",
    "LIV": "liveness",
    "SEQ": "sequences against the model",
    "CTX": "what reached the prompt",
}
OF_AGENTS = frozenset({"CTX"})  # the others are about memories
