# textwrap: left out is subclassing TextWrapper.
def _mce_module_textwrap():
    import re

    space = r"[\t\n\x0b\x0c\r ]"
    solid = r"[^\t\n\x0b\x0c\r ]"
    punctuated = r"[\w!\"'&.,?]"
    letter = r"[^\d\W]"
    words = re.compile(
        f"{space}+"
        f"|(?<={punctuated})-{{2,}}(?=\\w)"
        f"|{solid}+?(?:-(?:(?<={letter}{letter}-)|(?<={letter}-{letter}-))(?={letter}-?{letter})"
        f"|(?={space})|(?![\\s\\S])|(?<={punctuated})(?=-{{2,}}\\w))"
    )
    blanks = re.compile(f"{space}+|{solid}+")
    whitespace = "\t\n\x0b\x0c\r "

    class TextWrapper:
        def __init__(
            self,
            width=70,
            initial_indent="",
            subsequent_indent="",
            expand_tabs=True,
            replace_whitespace=True,
            fix_sentence_endings=False,
            break_long_words=True,
            drop_whitespace=True,
            break_on_hyphens=True,
            tabsize=8,
            *,
            max_lines=None,
            placeholder=" [...]",
        ):
            self.width = width
            self.initial_indent = initial_indent
            self.subsequent_indent = subsequent_indent
            self.expand_tabs = expand_tabs
            self.replace_whitespace = replace_whitespace
            self.fix_sentence_endings = fix_sentence_endings
            self.break_long_words = break_long_words
            self.drop_whitespace = drop_whitespace
            self.break_on_hyphens = break_on_hyphens
            self.tabsize = tabsize
            self.max_lines = max_lines
            self.placeholder = placeholder

        def chunks_of(self, text):
            if self.expand_tabs:
                text = text.expandtabs(self.tabsize)
            if self.replace_whitespace:
                for char in whitespace:
                    text = text.replace(char, " ")
            pattern = words if self.break_on_hyphens is True else blanks
            chunks = [match.group() for match in pattern.finditer(text)]
            if self.fix_sentence_endings:
                i = 0
                while i < len(chunks) - 1:
                    if chunks[i + 1] == " " and ends_sentence(chunks[i]):
                        chunks[i + 1] = "  "
                        i += 2
                    else:
                        i += 1
            return chunks

        def place_long_word(self, chunks, line, length, width):
            room = 1 if width < 1 else width - length
            if self.break_long_words:
                end = room
                chunk = chunks[-1]
                if self.break_on_hyphens and len(chunk) > room:
                    hyphen = chunk.rfind("-", 0, room)
                    if hyphen > 0 and chunk[:hyphen].strip("-") != "":
                        end = hyphen + 1
                line.append(chunk[:end])
                chunks[-1] = chunk[end:]
            elif not line:
                line.append(chunks.pop())

        def wrap(self, text):
            chunks = self.chunks_of(text)
            if self.width <= 0:
                raise ValueError(f"invalid width {self.width!r} (must be > 0)")
            if self.max_lines is not None:
                lead = self.subsequent_indent if self.max_lines > 1 else self.initial_indent
                if len(lead) + len(self.placeholder.lstrip()) > self.width:
                    raise ValueError("placeholder too large for max width")
            lines = []
            chunks.reverse()
            while chunks:
                line = []
                length = 0
                lead = self.subsequent_indent if lines else self.initial_indent
                width = self.width - len(lead)
                if self.drop_whitespace and chunks[-1].strip() == "" and lines:
                    chunks.pop()
                while chunks and length + len(chunks[-1]) <= width:
                    length += len(chunks[-1])
                    line.append(chunks.pop())
                if chunks and len(chunks[-1]) > width:
                    self.place_long_word(chunks, line, length, width)
                    length = sum([len(chunk) for chunk in line])
                if self.drop_whitespace and line and line[-1].strip() == "":
                    length -= len(line.pop())
                if not line:
                    continue
                last = not chunks or (self.drop_whitespace and len(chunks) == 1 and not chunks[0].strip())
                if self.max_lines is None or len(lines) + 1 < self.max_lines or (last and length <= width):
                    lines.append(lead + "".join(line))
                    continue
                self.shorten_line(lines, line, length, width, lead)
                break
            return lines

        def shorten_line(self, lines, line, length, width, lead):
            while line:
                if line[-1].strip() and length + len(self.placeholder) <= width:
                    line.append(self.placeholder)
                    lines.append(lead + "".join(line))
                    return
                length -= len(line.pop())
            if lines:
                before = lines[-1].rstrip()
                if len(before) + len(self.placeholder) <= self.width:
                    lines[-1] = before + self.placeholder
                    return
            lines.append(lead + self.placeholder.lstrip())

        def fill(self, text):
            return "\n".join(self.wrap(text))

    def ends_sentence(chunk):
        if chunk and chunk[-1] in "\"'":
            chunk = chunk[:-1]
        return len(chunk) >= 2 and chunk[-1] in ".!?" and "a" <= chunk[-2] <= "z"

    def wrap(text, width=70, **kwargs):
        return TextWrapper(width=width, **kwargs).wrap(text)

    def fill(text, width=70, **kwargs):
        return TextWrapper(width=width, **kwargs).fill(text)

    def shorten(text, width, **kwargs):
        return TextWrapper(width=width, max_lines=1, **kwargs).fill(" ".join(text.strip().split()))

    def dedent(text):
        lines = [line if line.strip(" \t") else "" for line in text.split("\n")]
        margin = None
        for line in lines:
            if not line:
                continue
            indent = line[: len(line) - len(line.lstrip(" \t"))]
            if margin is None:
                margin = indent
            elif not indent.startswith(margin):
                shared = 0
                while shared < min(len(margin), len(indent)) and margin[shared] == indent[shared]:
                    shared += 1
                margin = margin[:shared]
        if margin:
            lines = [line[len(margin) :] if line else line for line in lines]
        return "\n".join(lines)

    def indent(text, prefix, predicate=None):
        parts = []
        for line in text.splitlines(True):
            if not line.isspace() if predicate is None else predicate(line):
                parts.append(prefix)
            parts.append(line)
        return "".join(parts)

    return {
        "TextWrapper": TextWrapper,
        "dedent": dedent,
        "fill": fill,
        "indent": indent,
        "shorten": shorten,
        "wrap": wrap,
    }
