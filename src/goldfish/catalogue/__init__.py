"""The promises that every memory is held to, one file per family."""
