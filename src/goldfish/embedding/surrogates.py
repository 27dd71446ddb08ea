"""Texts without lone surrogates, which tokenizers and servers refuse."""


def replace_surrogates(text: str) -> str:
    """Return the text with every lone surrogate as U+FFFD, which stands for what is unreadable."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)
    return text
