"""Serialised values as texts in JSON records, compressed where that makes them smaller.

Most of a small checkpoint or message is the names of fields and classes, so zlib is given a
dictionary of these. It is a part of the format: records name its version, and it never changes.
"""

import base64
import zlib
from collections.abc import Sequence
from typing import Any

from goldfish.errors import MemoryStoreBackendError

Typed = tuple[str, bytes]  # a type and bytes, as LangGraph's serialisers return them

# What is common comes last: zlib refers to what is near in fewer bits.
WORDS = (
    b"langchain_core.messages.function\xafFunctionMessage"
    b"langchain_core.messages.chat\xabChatMessage\xa4role"
    b"langgraph.types\xa9Interrupt\xa5value\xa2id\xa9resumable\xa2ns\xa4when"
    b"langgraph.types\xa4Send\xa6__send__\xad__interrupt__\xaa__resume__\xa9__error__\xa9__tasks__"
    b"\xa6run_id\xb1counters_since_delta_snapshot\xa6source\xa5input\xa4step\xa7parents\x80"
    b"\x83\xa6source\xa6update\xa4step\x01\xa7parents\x80\x83\xa6source\xa4loop\xa4step\xcd\x01"
    b"langchain_core.messages.system\xadSystemMessage\xa6system"
    b"langchain_core.messages.tool\xabToolMessage\xactool_call_id\xa8artifact\xc0\xa6status"
    b"\xa7success\xa4tool\xa4name\xa4args\xa2id\xa4type\xa9tool_call\xaaindex\xa4text\xa9reasoning"
    b"\xaainput_tokens\xadoutput_tokens\xactotal_tokens\xb3input_token_details\xb4output_token_details"
    b"\xaacache_read\xaetoken_usage\xb1completion_tokens\xaeprompt_tokens\xaamodel_name"
    b"\xaemodel_provider\xadfinish_reason\xa4stop\xb2system_fingerprint\xa8logprobs"
    b"\x94\xbblangchain_core.messages.human\xacHumanMessage\x86\xa7content\xd9"
    b"\xb1additional_kwargs\x80\xb1response_metadata\x80\xa4type\xa5human\xa4name\xc0\xa2id\xd9$"
    b"\xb3model_validate_json"
    b"\x94\xbalangchain_core.messages.ai\xa9AIMessage\x89\xa7content\xd9"
    b"\xb1additional_kwargs\x80\xb1response_metadata\x80\xa4type\xa2ai\xa4name\xc0\xa2id\xd9$"
    b"\xaatool_calls\x90\xb2invalid_tool_calls\x90\xaeusage_metadata\xc0\xb3model_validate_json"
    b"\x87\xa1v\x04\xa2ts\xd9 2026-11-18T00:00:00.000000+00:00\xa2id\xd9$1f1e3213-"
    b"\xaechannel_values\x82\xa9__start__\x81\xa8messages\x91\xc8\x01\x86\x05"
    b"\xaechannel_values\x81\xa8messages\xc0\xb0channel_versions\x83\xa9__start__\xcd\x01"
    b"\xa8messages\xcd\x01\xafbranch:to:agent\xcd\x01\xadversions_seen\x83\xa9__input__\x80"
    b"\xa9__start__\x81\xa9__start__\xcd\x01\xa5agent\x81\xafbranch:to:agent\xcd\x01"
    b"\xb0updated_channels\x91\xa8messages\xadbranch:to:"
)
VERSION = 1  # of the words
LEAST = 64  # bytes that are worth the time
WINDOW, MEMORY, LEVEL = -12, 5, 6  # raw deflate in 4 kB, which is enough for small values

_with_words = zlib.compressobj(LEVEL, zlib.DEFLATED, WINDOW, MEMORY, zdict=WORDS)


def pack(value: Typed) -> list[Any]:
    """Return the value as JSON: its type, a text, and the version of the words if compressed."""
    kind, data = value
    if len(data) < LEAST:
        return [kind, _encode(data)]
    compressor = _with_words.copy()  # in less time than it takes to learn the words
    small = compressor.compress(data) + compressor.flush()
    if len(small) >= len(data):
        return [kind, _encode(data)]
    return [kind, _encode(small), VERSION]


def unpack(packed: Sequence[Any]) -> Typed:
    """Return the value that was packed."""
    kind, text, *version = packed
    data = base64.b64decode(text)
    if version and version != [VERSION]:
        raise MemoryStoreBackendError(
            "a checkpoint was written by a newer goldfish: pip install --upgrade goldfish"
        )
    if version:
        data = zlib.decompressobj(WINDOW, zdict=WORDS).decompress(data)
    return kind, data


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()
