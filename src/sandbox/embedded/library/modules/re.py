# re: patterns are parsed here and handed to the native engine in its own syntax; left out are bytes patterns, LOCALE,
# DEBUG, Scanner, `pos`/`endpos`, `Match.lastgroup`/`lastindex`/`re`.
def _mce_module_re():
    import re
    import unicodedata

    ASCII = 256
    IGNORECASE = 2
    MULTILINE = 8
    DOTALL = 16
    UNICODE = 32
    VERBOSE = 64
    UNLIMITED = 4294967295
    flag_letters = {"i": IGNORECASE, "m": MULTILINE, "s": DOTALL, "x": VERBOSE, "a": ASCII, "u": UNICODE}
    flag_names = [
        (IGNORECASE, "re.IGNORECASE"),
        (MULTILINE, "re.MULTILINE"),
        (DOTALL, "re.DOTALL"),
        (VERBOSE, "re.VERBOSE"),
        (ASCII, "re.ASCII"),
    ]
    # Stands around the number of a referenced group until all groups are known.
    mark = "\0"
    simple_escapes = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
    digits = "0123456789"
    octal = "01234567"
    hexadecimal = "0123456789abcdefABCDEF"
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    # The classes as members of a set, for any text and for ASCII text (where the short forms are the same).
    members = {
        "d": r"\p{Nd}",
        "D": r"\P{Nd}",
        "s": r"\s\x{1c}-\x{1f}",
        "w": r"\p{L}\p{N}_",
    }
    ascii_members = {"d": "0-9", "s": r"\t-\r ", "w": "A-Za-z0-9_"}

    def fail(message, pattern, position):
        text = f"{message} at position {position}"
        if "\n" in pattern:
            line = pattern.count("\n", 0, position) + 1
            column = position - pattern.rfind("\n", 0, position)
            text += f" (line {line}, column {column})"
        raise re.PatternError(text)

    def literal(char):
        if char in letters or char in digits or char == "_" or ord(char) > 127:
            return char
        return f"\\x{{{ord(char):x}}}"

    def class_text(kind, flags):
        # A category outside a set.
        table = ascii_members if flags & ASCII else members
        lower = kind.lower()
        if kind != lower:
            return "[^" + table[lower] + "]"
        return "[" + table[lower] + "]"

    def class_member(kind, flags):
        # A category inside a set; a negated one is a nested set.
        table = ascii_members if flags & ASCII else members
        lower = kind.lower()
        if kind != lower:
            return "[^" + table[lower] + "]"
        return table[lower]

    class Parser:
        # Each `parse_*` returns the native text of its part with the least and the greatest width.
        def __init__(self, pattern, flags):
            self.pattern = pattern
            self.position = 0
            self.flags = flags
            self.groups = 0
            self.names = {}
            self.widths = {}
            self.open = []
            self.asserts = False
            self.prefers_empty = False
            self.behind = []
            self.later = []

        def finish(self, text):
            # Resolves the references: the engine wants names where any group has one.
            for group, spot in self.later:
                if group > self.groups:
                    fail(f"invalid group reference {group}", self.pattern, spot)
                raise NotImplementedError("conditions on a later group are unsupported")
            parts = text.split(mark)
            for i in range(1, len(parts), 2):
                group = int(parts[i])
                conditional = parts[i - 1].endswith("(?(")
                if not self.names:
                    parts[i] = str(group) if conditional else f"\\{group}"
                    continue
                known = [name for name in self.names if self.names[name] == group]
                if not known:
                    raise NotImplementedError("references to unnamed groups beside named ones are unsupported")
                parts[i] = f"<{known[0]}>" if conditional else f"\\k<{known[0]}>"
            return "".join(parts)

        def peek(self):
            return self.pattern[self.position : self.position + 1]

        def take(self):
            char = self.peek()
            if char == "":
                fail("unexpected end of pattern", self.pattern, self.position)
            self.position += 1
            return char

        def take_if(self, text):
            if self.pattern.startswith(text, self.position):
                self.position += len(text)
                return True
            return False

        def until(self, end, what):
            # The name up to `end`.
            begin = self.position
            stop = self.pattern.find(end, begin)
            if stop < 0:
                if begin == len(self.pattern):
                    fail("missing " + what, self.pattern, begin)
                fail("missing " + end + ", unterminated name", self.pattern, begin)
            if stop == begin:
                fail("missing " + what, self.pattern, begin)
            self.position = stop + 1
            return self.pattern[begin:stop]

        def parse_alternatives(self, flags, nested):
            start = self.position
            branches = []
            while True:
                branches.append(self.parse_sequence(flags, nested, nested == 0 and not branches))
                if not self.take_if("|"):
                    break
                flags = self.flags if nested == 0 else flags
            if len(branches) == 1:
                return branches[0]
            low = min([b[1] for b in branches])
            high = max([b[2] for b in branches])
            for branch in branches[:-1]:
                if branch[1] == 0:
                    self.prefers_empty = True
            return "|".join([b[0] for b in branches]), low, high

        def parse_sequence(self, flags, nested, first):
            parts = []
            low = 0
            high = 0
            while True:
                char = self.peek()
                if char == "" or char in "|)":
                    break
                if flags & VERBOSE:
                    if char in " \t\n\r\v\f":
                        self.position += 1
                        continue
                    if char == "#":
                        end = self.pattern.find("\n", self.position)
                        self.position = len(self.pattern) if end < 0 else end + 1
                        continue
                groups_before = self.groups
                item = self.parse_item(flags, nested, first and not parts)
                if item is None:
                    if nested == 0:
                        flags = self.flags
                    continue
                text, item_low, item_high, kind = item
                text, item_low, item_high = self.parse_repeats(text, item_low, item_high, kind, groups_before)
                parts.append(text)
                low = min(low + item_low, UNLIMITED)
                high = min(high + item_high, UNLIMITED)
            return "".join(parts), low, high

        def parse_repeats(self, text, low, high, kind, groups_before):
            here = self.position
            char = self.peek()
            least = -1
            most = -1
            if char == "?":
                least, most = 0, 1
                self.position += 1
            elif char == "*":
                least, most = 0, UNLIMITED
                self.position += 1
            elif char == "+":
                least, most = 1, UNLIMITED
                self.position += 1
            elif char == "{":
                bounds = self.parse_bounds()
                if bounds is None:
                    return text, low, high
                least, most = bounds
            else:
                return text, low, high
            if kind == "at":
                fail("nothing to repeat", self.pattern, here)
            if kind == "repeat":
                fail("multiple repeat", self.pattern, here)
            if low == 0 and most > 1 and self.groups > groups_before:
                raise NotImplementedError("a repeated group that can be empty and captures is unsupported")
            suffix = ""
            if self.take_if("?"):
                suffix = "?"
                self.prefers_empty = True
            elif self.take_if("+"):
                suffix = "+"
            if kind != "atom":
                text = "(?:" + text + ")"
            if high == 0:
                # What has no width holds once or is skipped.
                if self.groups > groups_before:
                    raise NotImplementedError("a repeated group without width is unsupported")
                return text if least else "", 0, 0
            if most == UNLIMITED:
                count = "*" if least == 0 else "+" if least == 1 else f"{{{least},}}"
            else:
                count = "?" if (least, most) == (0, 1) else f"{{{least},{most}}}"
            if suffix == "+":
                text = "(?>" + text + count + ")"
            else:
                text = text + count + suffix
            low = min(low * least, UNLIMITED)
            high = min(high * most, UNLIMITED)
            again = self.peek()
            if again and again in "*+?":
                fail("multiple repeat", self.pattern, self.position)
            if again == "{":
                spot = self.position
                if self.parse_bounds() is not None:
                    fail("multiple repeat", self.pattern, spot)
                self.position = spot
            return text, low, high

        def parse_bounds(self):
            # `{m,n}` or None where the brace is an ordinary character.
            begin = self.position
            self.position += 1
            low = ""
            high = ""
            if self.peek() == "}":
                self.position = begin
                return None
            while self.peek() and self.peek() in digits:
                low += self.take()
            if self.take_if(","):
                while self.peek() and self.peek() in digits:
                    high += self.take()
            else:
                high = low
            if not self.take_if("}"):
                self.position = begin
                return None
            least = int(low) if low else 0
            most = int(high) if high else UNLIMITED
            if least >= UNLIMITED or (high and most >= UNLIMITED):
                raise OverflowError("the repetition number is too large")
            if most < least:
                fail("min repeat greater than max repeat", self.pattern, begin + 1)
            return least, most

        def parse_item(self, flags, nested, first):
            begin = self.position
            char = self.take()
            if char == "\\":
                return self.parse_escape(flags, begin)
            if char == "[":
                return self.parse_set(flags, begin) + ("atom",)
            if char == ".":
                return (r"[\s\S]" if flags & DOTALL else r"[^\n]"), 1, 1, "atom"
            if char == "^":
                self.asserts = True
                return ("(?m:^)" if flags & MULTILINE else r"\A"), 0, 0, "at"
            if char == "$":
                self.asserts = True
                return ("(?m:$)" if flags & MULTILINE else r"(?=\n?\z)"), 0, 0, "at"
            if char == "(":
                return self.parse_group(flags, nested, first, begin)
            if char in "*+?":
                fail("nothing to repeat", self.pattern, begin)
            if char == "{":
                self.position = begin
                if self.parse_bounds() is not None:
                    fail("nothing to repeat", self.pattern, begin)
                self.position = begin + 1
            return literal(char), 1, 1, "atom"

        def parse_escape(self, flags, begin):
            if self.peek() == "":
                fail("bad escape (end of pattern)", self.pattern, begin)
            char = self.take()
            if char in "dDsSwW":
                return class_text(char, flags), 1, 1, "atom"
            if char == "A":
                self.asserts = True
                return r"\A", 0, 0, "at"
            if char == "Z":
                self.asserts = True
                return r"\z", 0, 0, "at"
            if char in "bB":
                self.asserts = True
                word = "[" + (ascii_members if flags & ASCII else members)["w"] + "]"
                if char == "b":
                    return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))", 0, 0, "at"
                # CPython 3.13: \B does not match an empty text.
                return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word})(?!\\A\\z))", 0, 0, "at"
            if char in digits and char != "0":
                number = char
                if self.peek() and self.peek() in digits:
                    if char in "0123" and self.peek() in octal:
                        three = self.pattern[self.position + 1 : self.position + 2]
                        if three and three in octal:
                            value = int(char + self.take() + self.take(), 8)
                            return literal(chr(value)), 1, 1, "atom"
                    elif char in octal and self.peek() in octal:
                        three = self.pattern[self.position + 1 : self.position + 2]
                        if three and three in octal:
                            fail(
                                f"octal escape value \\{char}{self.peek()}{three} outside of range 0-0o377",
                                self.pattern,
                                begin,
                            )
                    number += self.take()
                return self.reference(int(number), begin, number)
            return literal(self.parse_character(char, begin, False)), 1, 1, "atom"

        def reference(self, group, begin, shown):
            if group > self.groups:
                fail(f"invalid group reference {shown}", self.pattern, begin + 1)
            if group in self.open:
                fail("cannot refer to an open group", self.pattern, begin)
            self.check_behind(group, begin)
            low, high = self.widths[group]
            # Outside any repetition an unset group fails, as in CPython.
            return f"(?:{mark}{group}{mark})", low, high, "atom"

        def check_behind(self, group, begin):
            if self.behind and group >= self.behind[-1]:
                fail("cannot refer to group defined in the same lookbehind subpattern", self.pattern, begin)

        def parse_character(self, char, begin, in_set):
            # The character that the escape stands for.
            if char == "x":
                return self.parse_hexadecimal(2, begin, "x")
            if char == "u":
                return self.parse_hexadecimal(4, begin, "u")
            if char == "U":
                return self.parse_hexadecimal(8, begin, "U")
            if char == "N" and self.peek() == "{":
                self.position += 1
                name = self.until("}", "character name")
                try:
                    return unicodedata.lookup(name)
                except KeyError:
                    fail(f"undefined character name {name!r}", self.pattern, begin)
            if char == "N":
                fail("missing {", self.pattern, self.position)
            if char == "0" or (in_set and char in octal):
                text = char
                while len(text) < 3 and self.peek() and self.peek() in octal:
                    text += self.take()
                value = int(text, 8)
                if value > 255:
                    fail(f"octal escape value \\{text} outside of range 0-0o377", self.pattern, begin)
                return chr(value)
            if char in simple_escapes and (char != "b" or in_set):
                return simple_escapes[char]
            if char in letters or char in digits:
                fail("bad escape \\" + char, self.pattern, begin)
            return char

        def parse_hexadecimal(self, count, begin, letter):
            text = ""
            while len(text) < count and self.peek() and self.peek() in hexadecimal:
                text += self.take()
            if len(text) != count:
                fail(f"incomplete escape \\{letter}{text}", self.pattern, begin)
            value = int(text, 16)
            if value > 1114111:
                fail(f"bad escape \\{letter}{text}", self.pattern, begin)
            if 55296 <= value <= 57343:
                raise NotImplementedError("surrogates in patterns are unsupported")
            return chr(value)

        def parse_set(self, flags, begin):
            negated = self.take_if("^")
            parts = []
            first = True
            while True:
                if self.peek() == "":
                    fail("unterminated character set", self.pattern, begin)
                here = self.position
                char = self.take()
                if char == "]" and not first:
                    break
                first = False
                low = self.set_item(char, here, flags)
                if not self.take_if("-"):
                    parts.append(low[1] if low[0] else literal(low[1]))
                    continue
                if self.peek() == "":
                    fail("unterminated character set", self.pattern, begin)
                spot = self.position
                char = self.take()
                if char == "]":
                    parts.append(low[1] if low[0] else literal(low[1]))
                    parts.append(literal("-"))
                    break
                high = self.set_item(char, spot, flags)
                text = self.pattern[here : self.position]
                if low[0] or high[0]:
                    fail("bad character range " + text, self.pattern, here)
                if high[1] < low[1]:
                    fail("bad character range " + text, self.pattern, here)
                parts.append(literal(low[1]) + "-" + literal(high[1]))
            return "[" + ("^" if negated else "") + "".join(parts) + "]", 1, 1

        def set_item(self, char, here, flags):
            # Whether it is a category, with its text, or the character.
            if char != "\\":
                return False, char
            if self.peek() == "":
                fail("bad escape (end of pattern)", self.pattern, here)
            escaped = self.take()
            if escaped in "dDsSwW":
                return True, class_member(escaped, flags)
            return False, self.parse_character(escaped, here, True)

        def parse_group(self, flags, nested, first, begin):
            opener = "("
            name = None
            capture = True
            inner = flags
            if self.take_if("?"):
                if self.peek() == "":
                    fail("unexpected end of pattern", self.pattern, self.position)
                char = self.take()
                capture = False
                if char == "P":
                    if self.take_if("<"):
                        name = self.until(">", "group name")
                        if not name.isidentifier():
                            fail(f"bad character in group name {name!r}", self.pattern, self.position - len(name) - 1)
                        capture = True
                    elif self.take_if("="):
                        name = self.until(")", "group name")
                        spot = self.position - len(name) - 1
                        if not name.isidentifier():
                            fail(f"bad character in group name {name!r}", self.pattern, spot)
                        if name not in self.names:
                            fail(f"unknown group name {name!r}", self.pattern, spot)
                        group = self.names[name]
                        if group in self.open:
                            fail("cannot refer to an open group", self.pattern, spot)
                        self.check_behind(group, begin)
                        low, high = self.widths[group]
                        return f"(?:{mark}{group}{mark})", low, high, "atom"
                    else:
                        if self.peek() == "":
                            fail("unexpected end of pattern", self.pattern, self.position)
                        fail("unknown extension ?P" + self.peek(), self.pattern, begin + 1)
                elif char == ":":
                    opener = "(?:"
                elif char == "#":
                    end = self.pattern.find(")", self.position)
                    if end < 0:
                        fail("missing ), unterminated comment", self.pattern, begin)
                    self.position = end + 1
                    return None
                elif char in "=!" or char == "<":
                    if char == "<":
                        if self.peek() == "":
                            fail("unexpected end of pattern", self.pattern, self.position)
                        char += self.take()
                        if char not in ("<=", "<!"):
                            fail("unknown extension ?" + char, self.pattern, begin + 1)
                        self.behind.append(self.groups + 1)
                    text, low, high = self.parse_alternatives(flags, nested + 1)
                    if not self.take_if(")"):
                        fail("missing ), unterminated subpattern", self.pattern, begin)
                    if char[0] == "<":
                        self.behind.pop()
                        if low != high:
                            # CPython finds this when it compiles, without a position.
                            raise re.PatternError("look-behind requires fixed-width pattern")
                    self.asserts = True
                    return f"(?{char}{text})", 0, 0, "group"
                elif char == "(":
                    return self.parse_conditional(flags, nested, begin)
                elif char == ">":
                    opener = "(?>"
                elif char in flag_letters or char == "-" or char == "L":
                    change = self.parse_flags(char, flags, nested, first, begin)
                    if change is None:
                        return None
                    inner = change
                    opener = "(?i:" if inner & IGNORECASE else "(?-i:"
                else:
                    fail("unknown extension ?" + char, self.pattern, begin + 1)
            group = 0
            if capture:
                self.groups += 1
                group = self.groups
                if name is not None:
                    if name in self.names:
                        spot = self.position - len(name) - 1
                        fail(
                            f"redefinition of group name {name!r} as group {group}; was group {self.names[name]}",
                            self.pattern,
                            spot,
                        )
                    self.names[name] = group
                    opener = f"(?P<{name}>"
                self.open.append(group)
            text, low, high = self.parse_alternatives(inner, nested + 1)
            if not self.take_if(")"):
                fail("missing ), unterminated subpattern", self.pattern, begin)
            if capture:
                self.open.pop()
                self.widths[group] = (low, high)
            return opener + text + ")", low, high, "atom"

        def parse_conditional(self, flags, nested, begin):
            name = self.until(")", "group name")
            spot = self.position - len(name) - 1
            if name.isidentifier():
                if name not in self.names:
                    fail(f"unknown group name {name!r}", self.pattern, spot)
                group = self.names[name]
            elif name.isdecimal() and name.isascii():
                group = int(name)
                if group == 0:
                    fail("bad group number", self.pattern, spot)
                if group > self.groups:
                    self.later.append((group, spot))
            else:
                fail(f"bad character in group name {name!r}", self.pattern, spot)
            self.check_behind(group, begin)
            yes = self.parse_sequence(flags, nested + 1, False)
            no = ("", 0, 0)
            if self.take_if("|"):
                no = self.parse_sequence(flags, nested + 1, False)
                if self.peek() == "|":
                    fail("conditional backref with more than two branches", self.pattern, self.position)
            if not self.take_if(")"):
                fail("missing ), unterminated subpattern", self.pattern, begin)
            self.prefers_empty = True
            text = f"(?({mark}{group}{mark}){yes[0]}|{no[0]})"
            return text, min(yes[1], no[1]), max(yes[2], no[2]), "group"

        def parse_flags(self, char, flags, nested, first, begin):
            # The flags of `(?i:...)`, or None after a global `(?i)`.
            added = 0
            removed = 0
            if char != "-":
                while True:
                    if char == "L":
                        raise NotImplementedError("the LOCALE flag is unsupported")
                    if char not in flag_letters:
                        word = "unknown flag" if char in letters else "missing -, : or )"
                        fail(word, self.pattern, self.position - 1)
                    added |= flag_letters[char]
                    if added & ASCII and added & UNICODE:
                        fail(
                            "bad inline flags: flags 'a', 'u' and 'L' are incompatible", self.pattern, self.position
                        )
                    if self.peek() == "":
                        fail("missing -, : or )", self.pattern, self.position)
                    char = self.take()
                    if char in ")-:":
                        break
            if char == ")":
                if begin != 0 or nested != 0:
                    fail("global flags not at the start of the expression", self.pattern, begin)
                self.flags |= added
                return None
            if char == "-":
                if self.peek() == "":
                    fail("missing flag", self.pattern, self.position)
                char = self.take()
                if char not in flag_letters:
                    fail("unknown flag" if char in letters else "missing flag", self.pattern, self.position - 1)
                while True:
                    if char in "au":
                        fail(
                            "bad inline flags: cannot turn off flags 'a', 'u' and 'L'", self.pattern, self.position
                        )
                    removed |= flag_letters[char]
                    if self.peek() == "":
                        fail("missing :", self.pattern, self.position)
                    char = self.take()
                    if char == ":":
                        break
                    if char not in flag_letters:
                        fail("unknown flag" if char in letters else "missing :", self.pattern, self.position - 1)
            if added & removed:
                fail("bad inline flags: flag turned on and off", self.pattern, self.position - 1)
            if added & UNICODE:
                flags &= ~ASCII
            return (flags | added) & ~removed

    class Pattern:
        def __init__(self, pattern, flags):
            parser = Parser(pattern, flags)
            text, low, _ = parser.parse_alternatives(flags, 0)
            if parser.position < len(pattern):
                fail("unbalanced parenthesis", pattern, parser.position)
            text = parser.finish(text)
            flags = parser.flags
            if flags & ASCII and flags & UNICODE:
                raise ValueError("ASCII and UNICODE flags are incompatible")
            self.pattern = pattern
            self.flags = flags if flags & ASCII else flags | UNICODE
            self.groups = parser.groups
            self.groupindex = parser.names
            self.text = text
            self.native_flags = re.I if flags & IGNORECASE else 0
            self.native = re.compile(text, self.native_flags)
            self.nullable = low == 0
            self.asserts = parser.asserts
            self.prefers_empty = parser.prefers_empty
            self.contexts = {}

        def __repr__(self):
            names = [name for bit, name in flag_names if self.flags & bit]
            shown = repr(self.pattern)[:200]
            return f"re.compile({shown}, {'|'.join(names)})" if names else f"re.compile({shown})"

        def __eq__(self, other):
            return isinstance(other, Pattern) and self.pattern == other.pattern and self.flags == other.flags

        def __hash__(self):
            return hash((self.pattern, self.flags))

        def search(self, string, pos=0):
            return self.native.search(whole(string, pos))

        def match(self, string, pos=0):
            return self.native.match(whole(string, pos))

        def fullmatch(self, string, pos=0):
            return self.native.fullmatch(whole(string, pos))

        def empty_at(self, string, end):
            # The empty match at `end`, found in a piece of the text with what a look-behind may need before it.
            if not self.asserts:
                found = self.native.match("")
                return found
            before = min(end, 200)
            if before not in self.contexts:
                self.contexts[before] = re.compile(f"(?s:.{{{before}}})(?:{self.text})", self.native_flags)
            found = self.contexts[before].match(string[end - before :])
            if found is not None and found.end() != before:
                return None
            return found

        def scan(self, string):
            # Triples of start, end and match of what CPython finds; the native engine leaves out an empty match
            # right after another one. `None` in place of a span marks a match whose own positions are shifted.
            whole(string, 0)
            if not self.nullable:
                return [(m.start(), m.end(), m, True) for m in self.native.finditer(string)]
            if self.prefers_empty:
                raise NotImplementedError("scanning with a pattern that prefers an empty match is unsupported")
            found = []
            matches = list(self.native.finditer(string))
            for i in range(len(matches)):
                m = matches[i]
                start = m.start()
                end = m.end()
                found.append((start, end, m, True))
                if end > start and (i + 1 == len(matches) or matches[i + 1].start() > end):
                    empty = self.empty_at(string, end)
                    if empty is not None:
                        found.append((end, end, empty, False))
            return found

        def findall(self, string, pos=0):
            whole(string, pos)
            scanned = self.scan(string)
            if self.groups == 0:
                # A shifted match is empty.
                return [m.group() if exact else "" for _, _, m, exact in scanned]
            found = [m for _, _, m, _ in scanned]
            if self.groups == 1:
                return [m.group(1) or "" for m in found]
            return [tuple([value or "" for value in m.groups()]) for m in found]

        def finditer(self, string, pos=0):
            whole(string, pos)
            found = []
            for _, _, m, exact in self.scan(string):
                if not exact:
                    raise NotImplementedError("finditer() with an empty match right after another is unsupported")
                found.append(m)
            return iter(found)

        def split(self, string, maxsplit=0):
            parts = []
            last = 0
            count = 0
            if maxsplit < 0:
                whole(string, 0)
                return [string]
            for start, end, m, _ in self.scan(string):
                if maxsplit and count >= maxsplit:
                    break
                count += 1
                parts.append(string[last:start])
                if self.groups:
                    parts.extend(m.groups())
                last = end
            parts.append(string[last:])
            return parts

        def subn(self, repl, string, count=0):
            whole(string, 0)
            if count < 0:
                return string, 0
            if type(repl) is str:
                template = parse_template(repl, self)
                if len(template) == 0 or (len(template) == 1 and type(template[0]) is str):
                    template = "".join(template)
            elif _mce_callable(repl):
                template = None
            else:
                raise TypeError(f"decoding to str: need a bytes-like object, {type(repl).__name__} found")
            parts = []
            last = 0
            made = 0
            for start, end, m, exact in self.scan(string):
                if count and made >= count:
                    break
                made += 1
                if last < start:
                    parts.append(string[last:start])
                last = end
                if template is None:
                    if not exact:
                        raise NotImplementedError("sub() with a function and an empty match is unsupported here")
                    parts.append(replacement(repl(m), len(parts)))
                elif type(template) is str:
                    parts.append(template)
                else:
                    parts.append(fill_template(template, m, exact))
            parts.append(string[last:])
            return "".join(parts), made

        def sub(self, repl, string, count=0):
            return self.subn(repl, string, count)[0]

    def replacement(value, index):
        if value is None:
            return ""
        if type(value) is not str:
            raise TypeError(f"sequence item {index}: expected str instance, {type(value).__name__} found")
        return value

    def whole(string, pos):
        if type(string) is bytes:
            raise TypeError("cannot use a string pattern on a bytes-like object")
        if type(string) is not str:
            raise TypeError(f"expected string or bytes-like object, got '{type(string).__name__}'")
        if pos != 0:
            raise NotImplementedError("the pos argument of patterns is unsupported")
        return string

    def parse_template(template, pattern):
        # A list of texts and of groups, each in a list of its own.
        parts = []
        position = 0
        length = len(template)
        while position < length:
            slash = template.find("\\", position)
            if slash < 0:
                parts.append(template[position:])
                break
            if slash > position:
                parts.append(template[position:slash])
            position = slash + 1
            if position >= length:
                fail("bad escape (end of pattern)", template, slash)
            char = template[position]
            position += 1
            if char == "g":
                if template[position : position + 1] != "<":
                    fail("missing <", template, position)
                end = template.find(">", position + 1)
                name = template[position + 1 : end] if end >= 0 else ""
                if end < 0:
                    if position + 1 >= length:
                        fail("missing group name", template, position + 1)
                    fail("missing >, unterminated name", template, position + 1)
                if not name:
                    fail("missing group name", template, position + 1)
                if name.isidentifier():
                    if name not in pattern.groupindex:
                        raise IndexError(f"unknown group name {name!r}")
                    group = pattern.groupindex[name]
                elif name.isdecimal() and name.isascii():
                    group = int(name)
                    if group > pattern.groups:
                        fail(f"invalid group reference {group}", template, position + 1)
                else:
                    fail(f"bad character in group name {name!r}", template, position + 1)
                parts.append([group])
                position = end + 1
            elif char == "0":
                text = char
                while len(text) < 3 and template[position : position + 1] and template[position] in octal:
                    text += template[position]
                    position += 1
                parts.append(chr(int(text, 8) & 255))
            elif char in digits:
                text = char
                octal_value = -1
                if template[position : position + 1] and template[position] in digits:
                    text += template[position]
                    position += 1
                    third = template[position : position + 1]
                    if char in octal and text[1] in octal and third and third in octal:
                        octal_value = int(text + third, 8)
                        position += 1
                        if octal_value > 255:
                            fail(
                                f"octal escape value \\{text}{third} outside of range 0-0o377", template, slash
                            )
                if octal_value >= 0:
                    parts.append(chr(octal_value))
                else:
                    if int(text) > pattern.groups:
                        fail(f"invalid group reference {int(text)}", template, slash + 1)
                    parts.append([int(text)])
            elif char in simple_escapes and char != "b":
                parts.append(simple_escapes[char])
            elif char == "b":
                parts.append("\b")
            elif char in letters:
                fail("bad escape \\" + char, template, slash)
            else:
                parts.append("\\" + char)
        return parts

    def fill_template(parts, m, exact):
        texts = []
        for part in parts:
            if type(part) is str:
                texts.append(part)
            elif part[0] == 0:
                texts.append(m.group() if exact else "")
            else:
                texts.append(m.group(part[0]) or "")
        return "".join(texts)

    def expand(m, template):
        # The groups of the match stand for those of its pattern.
        names = {}
        for name in m.groupdict():
            names[name] = name
        parts = parse_template(template, _mce_Names({"groups": len(m.groups()), "groupindex": names}))
        return fill_template(parts, m, True)

    _mce_hooks["expand"] = expand
    cached = {}

    def compile(pattern, flags=0):
        if isinstance(pattern, Pattern):
            if flags:
                raise ValueError("cannot process flags argument with a compiled pattern")
            return pattern
        if type(pattern) is bytes:
            raise NotImplementedError("patterns of bytes are unsupported")
        if type(pattern) is not str:
            raise TypeError("first argument must be string or compiled pattern")
        flags = int(flags)
        if flags & ~(ASCII | IGNORECASE | MULTILINE | DOTALL | UNICODE | VERBOSE):
            raise NotImplementedError("these flags of re.compile() are unsupported")
        if flags & ASCII and flags & UNICODE:
            raise ValueError("ASCII and UNICODE flags are incompatible")
        key = (pattern, flags)
        if key not in cached:
            if len(cached) >= 512:
                cached.clear()
            cached[key] = Pattern(pattern, flags)
        return cached[key]

    def search(pattern, string, flags=0):
        return compile(pattern, flags).search(string)

    def match(pattern, string, flags=0):
        return compile(pattern, flags).match(string)

    def fullmatch(pattern, string, flags=0):
        return compile(pattern, flags).fullmatch(string)

    def findall(pattern, string, flags=0):
        return compile(pattern, flags).findall(string)

    def finditer(pattern, string, flags=0):
        return compile(pattern, flags).finditer(string)

    def split(pattern, string, maxsplit=0, flags=0):
        return compile(pattern, flags).split(string, maxsplit)

    def sub(pattern, repl, string, count=0, flags=0):
        return compile(pattern, flags).sub(repl, string, count)

    def subn(pattern, repl, string, count=0, flags=0):
        return compile(pattern, flags).subn(repl, string, count)

    def escape(pattern):
        if type(pattern) is not str:
            raise NotImplementedError("re.escape() of bytes is unsupported")
        special = "()[]{}?*+-|^$\\.&~# \t\n\r\v\f"
        return "".join(["\\" + char if char in special else char for char in pattern])

    def purge():
        cached.clear()

    return {
        "A": ASCII,
        "ASCII": ASCII,
        "DOTALL": DOTALL,
        "I": IGNORECASE,
        "IGNORECASE": IGNORECASE,
        "M": MULTILINE,
        "MULTILINE": MULTILINE,
        "Match": re.Match,
        "NOFLAG": 0,
        "Pattern": Pattern,
        "PatternError": re.PatternError,
        "S": DOTALL,
        "U": UNICODE,
        "UNICODE": UNICODE,
        "VERBOSE": VERBOSE,
        "X": VERBOSE,
        "compile": compile,
        "error": re.PatternError,
        "escape": escape,
        "findall": findall,
        "finditer": finditer,
        "fullmatch": fullmatch,
        "match": match,
        "purge": purge,
        "search": search,
        "split": split,
        "sub": sub,
        "subn": subn,
    }
