"""Properties of multipart bodies: what was given is what readers of such bodies read."""

from __future__ import annotations

import email
import email.policy
import random
import re
import unittest

from tested import load

runtime = load()

# What breaks out of quotes, of a parameter, or of a line, and a few plain characters.
_PIECES = ["\\", '"', ";", " ", "=", "name", "_method", "filename", "\r", "\n", "\0", "\t", "\x0b"]
_PIECES += ["\x1c", "\x85", "\u2028", "é", "'", "%22", "%5F", "a", "*", ","]


def _as_sent(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _by_email(line: str) -> dict[str, str]:
    """As readers on top of Python's library do, python_multipart among them."""
    message = email.message_from_string(f"Content-Type: {line}\r\n\r\n")
    return {key: str(value) for key, value in (message.get_params() or [])[1:]}


def _by_quotes(line: str) -> dict[str, str]:
    """As browsers write them: a quoted text ends at the next quote."""
    return dict(re.findall(r'; *([^=;"]+)="([^"]*)"', line))


def _by_escapes(line: str) -> dict[str, str]:
    """As RFC 9110 has it: a backslash takes what follows it as it is."""
    found = re.findall(r'; *([^=;"]+)="((?:[^"\\]|\\.)*)"', line)
    return {key: re.sub(r"\\(.)", r"\1", value) for key, value in found}


class Names(unittest.TestCase):
    def test_no_reader_reads_another_name(self) -> None:
        chance = random.Random(7)
        sent = 0
        for _ in range(20_000):
            name, filename = (
                "".join(chance.choices(_PIECES, k=chance.randint(0, 6))) for _ in range(2)
            )
            try:
                _, body = runtime._multipart("multipart/form-data", {name: [filename, b"x"]}, {}, {})
            except runtime._Unfit:
                continue
            sent += 1
            boundary, head, *_ = body.split(b"\r\n")
            line = head.decode().partition(": ")[2]
            wanted = {"name": _as_sent(name), "filename": _as_sent(filename)}
            for read in (_by_email, _by_quotes, _by_escapes):
                self.assertEqual(read(line), wanted, (read, name, filename))
            # One part of two headers: nothing in a name begins another line.
            lines = body.decode().split("\r\n")
            self.assertEqual(len(lines), 7, lines)
            self.assertEqual(len(body.decode().splitlines()), 6, lines)
        self.assertGreater(sent, 2_000)

    def test_what_readers_read_differently_is_refused(self) -> None:
        for name in ("a\\", "a\\\\", "_\\method", "a\0", "a\x1c", "a\x7f", "a\x85", "a\u2029"):
            for value in ({name: "x"}, {"a": [name, b"x"]}):
                with self.assertRaises(runtime._Unfit, msg=repr(value)):
                    runtime._multipart("multipart/form-data", value, {}, {})


if __name__ == "__main__":
    unittest.main()
