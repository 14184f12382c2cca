# string: left out is Formatter, and subclassing Template.
def _mce_module_string():
    import re

    whitespace = " \t\n\r\x0b\x0c"
    ascii_lowercase = "abcdefghijklmnopqrstuvwxyz"
    ascii_uppercase = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
    pattern = re.compile(r"\$(?:(?P<escaped>\$)|(?P<named>[_a-zA-Z][_a-zA-Z0-9]*)|\{(?P<braced>[_a-zA-Z][_a-zA-Z0-9]*)\}|(?P<invalid>))")

    class Template:
        delimiter = "$"

        def __init__(self, template):
            self.template = template

        def invalid(self, position):
            lines = self.template[:position].splitlines(True)
            if not lines:
                column = 1
                line = 1
            else:
                column = position - len("".join(lines[:-1]))
                line = len(lines)
            raise ValueError(f"Invalid placeholder in string: line {line}, col {column}")

        def render(self, mapping, safe):
            parts = []
            last = 0
            for match in pattern.finditer(self.template):
                parts.append(self.template[last : match.start()])
                last = match.end()
                name = match.group("named")
                if name is None:
                    name = match.group("braced")
                if name is not None:
                    if not safe or name in mapping:
                        parts.append(str(mapping[name]))
                    else:
                        parts.append(match.group())
                elif match.group("escaped") is not None:
                    parts.append("$")
                elif safe:
                    parts.append(match.group())
                else:
                    self.invalid(match.end())
            parts.append(self.template[last:])
            return "".join(parts)

        def mapping_of(self, mapping, kws):
            if mapping is None:
                return kws
            if not kws:
                return mapping
            merged = dict(mapping)
            merged.update(kws)
            return merged

        def substitute(self, mapping=None, /, **kws):
            return self.render(self.mapping_of(mapping, kws), False)

        def safe_substitute(self, mapping=None, /, **kws):
            return self.render(self.mapping_of(mapping, kws), True)

        def is_valid(self):
            for match in pattern.finditer(self.template):
                if match.group("invalid") is not None:
                    return False
            return True

        def get_identifiers(self):
            names = []
            for match in pattern.finditer(self.template):
                name = match.group("named") or match.group("braced")
                if name is not None and name not in names:
                    names.append(name)
            return names

    def capwords(s, sep=None):
        return (sep or " ").join([word.capitalize() for word in s.split(sep)])

    return {
        "Template": Template,
        "ascii_letters": ascii_lowercase + ascii_uppercase,
        "ascii_lowercase": ascii_lowercase,
        "ascii_uppercase": ascii_uppercase,
        "capwords": capwords,
        "digits": "0123456789",
        "hexdigits": "0123456789abcdefABCDEF",
        "octdigits": "01234567",
        "printable": "0123456789" + ascii_lowercase + ascii_uppercase + punctuation + whitespace,
        "punctuation": punctuation,
        "whitespace": whitespace,
    }
