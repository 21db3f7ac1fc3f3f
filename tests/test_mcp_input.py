"""What an MCP client sends reaches the library whole: it drops a line with half a character without an answer."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from noughts.commands.mcp import WholeCharacters

HALVES = st.integers(0xD800, 0xDFFF).map(chr)
TEXTS = st.lists(st.text() | HALVES | st.sampled_from(["\\", '"', "\\u", "\\ud800", "\U0001f600", "\n"])).map("".join)


@given(TEXTS, st.integers(1, 9))
def test_every_text_arrives_with_halves_of_characters_replaced(text, size):
    lines = b"".join(json.dumps(part).encode() + b"\n" for part in (text, "next"))
    reader = io.BufferedReader(WholeCharacters(io.BytesIO(lines)), size)
    first, second = (json.loads(line) for line in reader.read().decode().splitlines())
    whole = json.loads(json.dumps(text)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert second == "next"
    first.encode()  # which has no halves
    assert len(first) == len(json.loads(json.dumps(text)))
    assert first.replace("\ufffd", "") == whole.replace("\ufffd", "")
