# csv: left out are Error (no class can stand for it: errors raise NotImplementedError), Sniffer, Dialect and registering.
def _mce_module_csv():
    QUOTE_MINIMAL = 0
    QUOTE_ALL = 1
    QUOTE_NONNUMERIC = 2
    QUOTE_NONE = 3
    QUOTE_STRINGS = 4
    QUOTE_NOTNULL = 5
    dialects = {
        "excel": (",", "\r\n", QUOTE_MINIMAL),
        "excel-tab": ("\t", "\r\n", QUOTE_MINIMAL),
        "unix": (",", "\n", QUOTE_ALL),
    }

    def single(name, value, optional):
        if value is None and optional:
            return None
        if type(value) is not str:
            wanted = "string or None" if optional else "string"
            raise TypeError(f'"{name}" must be {wanted}, not {type(value).__name__}')
        if len(value) != 1:
            raise TypeError(f'"{name}" must be a 1-character string')
        return value

    class Dialect:
        def __init__(
            self,
            base,
            delimiter=None,
            quotechar='"',
            escapechar=None,
            doublequote=True,
            skipinitialspace=False,
            lineterminator=None,
            quoting=None,
            strict=False,
        ):
            if type(base) is not str:
                raise NotImplementedError("csv dialects other than by name are unsupported")
            if base not in dialects:
                raise NotImplementedError("unknown dialect")
            parts = dialects[base]
            self.delimiter = parts[0] if delimiter is None else single("delimiter", delimiter, False)
            self.lineterminator = parts[1] if lineterminator is None else lineterminator
            self.quoting = parts[2] if quoting is None else quoting
            self.quotechar = single("quotechar", quotechar, True)
            self.escapechar = single("escapechar", escapechar, True)
            self.doublequote = bool(doublequote)
            self.skipinitialspace = bool(skipinitialspace)
            self.strict = bool(strict)
            if quoting is not None and not (_mce_is_integer_like(quoting) and 0 <= quoting <= 5):
                raise TypeError('bad "quoting" value')
            if type(self.lineterminator) is not str:
                raise TypeError(f'"lineterminator" must be a string, not {type(self.lineterminator).__name__}')
            if self.quotechar is None and quoting is None:
                self.quoting = QUOTE_NONE
            if self.quoting != QUOTE_NONE and self.quotechar is None:
                raise TypeError("quotechar must be set if quoting enabled")

    class reader:
        def __init__(self, csvfile, dialect="excel", **fmtparams):
            self.lines = iter(csvfile)
            self.dialect = Dialect(dialect, **fmtparams)
            if self.dialect.quoting > QUOTE_NONE:
                raise NotImplementedError("csv.reader() with this quoting is unsupported")
            self.line_num = 0

        def __iter__(self):
            return self

        def __next__(self):
            # One record; a quoted field may go on over lines.
            d = self.dialect
            state = "start"
            fields = []
            field = []
            numeric = False
            while True:
                line = None
                for found in self.lines:
                    line = found
                    break
                if line is None:
                    if field or state in ("quoted", "escape quoted"):
                        if d.strict:
                            raise NotImplementedError("unexpected end of data")
                        fields.append("".join(field))
                        return fields
                    if state != "start":
                        if state not in ("field", "escape"):
                            fields.append("".join(field))
                        return fields
                    raise StopIteration
                if type(line) is not str:
                    raise NotImplementedError(
                        f"iterator should return strings, not {type(line).__name__} (the file should be opened in text mode)"
                    )
                self.line_num += 1
                if state == "start" and self.simple(line):
                    text = line.rstrip("\n").rstrip("\r") if line.endswith("\n") else line.rstrip("\r")
                    return text.split(d.delimiter) if text else []
                for char in line:
                    if state == "start":
                        if char in "\r\n":
                            state = "eat"
                            continue
                        state = "field start"
                    if state == "field start":
                        if char in "\r\n":
                            self.save(fields, field, numeric)
                            field = []
                            numeric = False
                            state = "eat"
                        elif char == d.quotechar and d.quoting != QUOTE_NONE:
                            state = "quoted"
                        elif char == d.escapechar:
                            state = "escape"
                        elif char == " " and d.skipinitialspace:
                            pass
                        elif char == d.delimiter:
                            self.save(fields, field, numeric)
                            field = []
                            numeric = False
                        else:
                            numeric = d.quoting == QUOTE_NONNUMERIC
                            field.append(char)
                            state = "field"
                    elif state == "escape":
                        field.append(char)
                        state = "escaped newline" if char in "\r\n" else "field"
                    elif state in ("field", "escaped newline"):
                        if char in "\r\n":
                            self.save(fields, field, numeric)
                            field = []
                            numeric = False
                            state = "eat"
                        elif char == d.escapechar:
                            state = "escape"
                        elif char == d.delimiter:
                            self.save(fields, field, numeric)
                            field = []
                            numeric = False
                            state = "field start"
                        else:
                            field.append(char)
                            state = "field"
                    elif state == "quoted":
                        if char == d.escapechar:
                            state = "escape quoted"
                        elif char == d.quotechar and d.quoting != QUOTE_NONE:
                            state = "quote in quoted" if d.doublequote else "field"
                        else:
                            field.append(char)
                    elif state == "escape quoted":
                        field.append(char)
                        state = "quoted"
                    elif state == "quote in quoted":
                        if char == d.quotechar and d.quoting != QUOTE_NONE:
                            field.append(char)
                            state = "quoted"
                        elif char == d.delimiter:
                            self.save(fields, field, numeric)
                            field = []
                            numeric = False
                            state = "field start"
                        elif char in "\r\n":
                            self.save(fields, field, numeric)
                            field = []
                            numeric = False
                            state = "eat"
                        elif not d.strict:
                            field.append(char)
                            state = "field"
                        else:
                            raise NotImplementedError(f"'{d.delimiter}' expected after '{d.quotechar}'")
                    elif char not in "\r\n":
                        raise NotImplementedError(
                            "new-line character seen in unquoted field - do you need to open the file with newline=''?"
                        )
                # The end of the line.
                if state in ("start", "eat"):
                    return fields
                if state in ("field start", "field", "quote in quoted"):
                    self.save(fields, field, numeric)
                    return fields
                if state == "escape":
                    field.append("\n")
                    state = "field"
                elif state == "escape quoted":
                    field.append("\n")
                    state = "quoted"

        def simple(self, line):
            # A line without quotes and escapes is split at once.
            d = self.dialect
            if d.skipinitialspace or d.quoting == QUOTE_NONNUMERIC:
                return False
            if d.quotechar is not None and d.quotechar in line or d.escapechar is not None and d.escapechar in line:
                return False
            newline = line.find("\n")
            carriage = line.find("\r")
            length = len(line)
            if newline >= 0 and newline != length - 1:
                return False
            return carriage < 0 or carriage == length - 1 or (carriage == length - 2 and newline == length - 1)

        def save(self, fields, field, numeric):
            text = "".join(field)
            fields.append(_mce_float(text) if numeric else text)

    class writer:
        def __init__(self, csvfile, dialect="excel", **fmtparams):
            if not hasattr(csvfile, "write"):
                raise TypeError('argument 1 must have a "write" method')
            self.file = csvfile
            self.dialect = Dialect(dialect, **fmtparams)

        def writerow(self, row):
            if not hasattr(row, "__iter__") and not isinstance(row, (_mce_ITERABLES, str, bytes)):
                raise NotImplementedError(f"iterable expected, not {type(row).__name__}")
            d = self.dialect
            values = list(row)
            texts = []
            for value in values:
                kind = type(value)
                if d.quoting == QUOTE_NONNUMERIC:
                    quoted = kind not in (int, float, bool)
                elif d.quoting == QUOTE_ALL:
                    quoted = True
                elif d.quoting == QUOTE_STRINGS:
                    quoted = kind is str
                elif d.quoting == QUOTE_NOTNULL:
                    quoted = value is not None
                else:
                    quoted = False
                text = "" if value is None else str(value)
                if value is None and d.quoting in (QUOTE_STRINGS, QUOTE_NOTNULL) and len(values) == 1:
                    raise NotImplementedError("single empty field record must be quoted")
                if text == "" and d.delimiter == " " and d.skipinitialspace and not quoted:
                    if d.quoting == QUOTE_NONE or value is None and d.quoting in (QUOTE_STRINGS, QUOTE_NOTNULL):
                        raise NotImplementedError("empty field must be quoted if delimiter is a space")
                    quoted = True
                texts.append(self.quote(text, quoted))
            if len(texts) == 1 and texts[0] == "":
                if d.quoting == QUOTE_NONE:
                    raise NotImplementedError("single empty field record must be quoted")
                texts[0] = d.quotechar + d.quotechar
            return self.file.write(d.delimiter.join(texts) + d.lineterminator)

        def quote(self, text, quoted):
            d = self.dialect
            special = d.delimiter + "\r\n" + (d.escapechar or "") + (d.quotechar or "") + d.lineterminator
            if not quoted and not any([char in text for char in special]):
                return text
            parts = []
            for char in text:
                if char in special:
                    escape = False
                    if d.quoting == QUOTE_NONE:
                        escape = True
                    elif char == d.quotechar:
                        if d.doublequote:
                            parts.append(char)
                        else:
                            escape = True
                    elif char == d.escapechar:
                        escape = True
                    if escape:
                        if d.escapechar is None:
                            raise NotImplementedError("need to escape, but no escapechar set")
                        parts.append(d.escapechar)
                    else:
                        quoted = True
                parts.append(char)
            body = "".join(parts)
            return d.quotechar + body + d.quotechar if quoted else body

        def writerows(self, rows):
            for row in rows:
                self.writerow(row)

    class DictReader:
        def __init__(self, f, fieldnames=None, restkey=None, restval=None, dialect="excel", **kwds):
            self.reader = reader(f, dialect, **kwds)
            self.dialect = dialect
            self.restkey = restkey
            self.restval = restval
            self.line_num = 0
            # CPython reads the header when it is first asked for; here it is read at once.
            if fieldnames is None:
                self.fieldnames = next(self.reader, None)
            else:
                self.fieldnames = fieldnames if isinstance(fieldnames, (list, tuple)) else list(fieldnames)

        def __iter__(self):
            return self

        def __next__(self):
            if self.fieldnames is None:
                raise StopIteration
            row = next(self.reader)
            while row == []:
                row = next(self.reader)
            self.line_num = self.reader.line_num
            names = self.fieldnames
            record = dict(zip(names, row))
            if len(names) < len(row):
                record[self.restkey] = row[len(names) :]
            elif len(names) > len(row):
                for key in names[len(row) :]:
                    record[key] = self.restval
            return record

    class DictWriter:
        def __init__(self, f, fieldnames, restval="", extrasaction="raise", dialect="excel", **kwds):
            self.fieldnames = fieldnames if isinstance(fieldnames, (list, tuple, str)) else list(fieldnames)
            self.restval = restval
            extrasaction = extrasaction.lower()
            if extrasaction not in ("raise", "ignore"):
                raise ValueError(f"extrasaction ({extrasaction}) must be 'raise' or 'ignore'")
            self.extrasaction = extrasaction
            self.writer = writer(f, dialect, **kwds)

        def writeheader(self):
            return self.writer.writerow(list(dict(zip(self.fieldnames, self.fieldnames)).values()))

        def row(self, rowdict):
            if self.extrasaction == "raise":
                wrong = [key for key in rowdict if key not in self.fieldnames]
                if wrong:
                    raise ValueError("dict contains fields not in fieldnames: " + ", ".join([repr(x) for x in wrong]))
            return [rowdict.get(key, self.restval) for key in self.fieldnames]

        def writerow(self, rowdict):
            return self.writer.writerow(self.row(rowdict))

        def writerows(self, rowdicts):
            for rowdict in rowdicts:
                self.writer.writerow(self.row(rowdict))

    def list_dialects():
        return ["excel", "excel-tab", "unix"]

    return {
        "DictReader": DictReader,
        "DictWriter": DictWriter,
        "QUOTE_ALL": QUOTE_ALL,
        "QUOTE_MINIMAL": QUOTE_MINIMAL,
        "QUOTE_NONE": QUOTE_NONE,
        "QUOTE_NONNUMERIC": QUOTE_NONNUMERIC,
        "QUOTE_NOTNULL": QUOTE_NOTNULL,
        "QUOTE_STRINGS": QUOTE_STRINGS,
        "list_dialects": list_dialects,
        "reader": reader,
        "writer": writer,
    }
