"""What each word for a finding means, in one sentence."""

MEANINGS = {
    "lost": "What was acknowledged is not there when it is read later.",
    "duplicated": "What was said once is there twice.",
    "leaked": "Something of one session or user was given to another.",
    "reordered": "Messages come back in another order than that in which they were acknowledged.",
    "corrupted": "Something comes back changed: a text, a field, a value under a name.",
    "torn": "Part of a batch is there, though it should be there as a whole or not at all.",
    "stale": "An older state is served: what was replaced, removed or has expired.",
    "resurrected": "What was removed was gone, and is there again.",
    "phantom": "Something is there that nobody ever wrote.",
    "swallowed": "Something failed, and the caller was told that all is well.",
    "refused": "An ordinary call raised an error where none is due.",
    "wrong": "An answer contradicts what is stored: a count, a limit, a rank.",
    "wedged": "It stopped answering, or never came back from a call.",
}
