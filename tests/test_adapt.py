"""The door to the adapters."""

import subprocess
import sys


def test_a_missing_library_is_named_with_the_command_that_installs_it() -> None:
    """No traceback through a stranger's import: one sentence, when the adapter is used."""
    code = (
        "import sys; sys.modules['langchain_core'] = None\n"
        "import goldfish\n"
        "try: goldfish.adapt.langchain(lambda session_id: None)\n"
        "except goldfish.MissingExtraError as error: print(error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    sentence = "langchain_core is not installed: pip install 'goldfish[langchain]'"
    assert said.stdout.strip() == sentence
