"""Texts as tokenizers and servers take them: whatever a user says, valid Unicode comes out."""


def sound(text: str) -> str:
    """The text with every lone surrogate as U+FFFD, which stands for what cannot be read."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)
    return text
