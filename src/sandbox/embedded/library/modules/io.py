# io: StringIO and BytesIO only; left out are newline translation and closed-file checks of readers.
def _mce_module_io():
    class StringIO:
        def __init__(self, initial_value="", newline="\n"):
            # "" differs from "\n" in where lines end when they are read.
            if newline not in ("\n", ""):
                raise NotImplementedError("io.StringIO() with another newline is unsupported")
            if initial_value is not None and type(initial_value) is not str:
                raise TypeError(f"initial_value must be str or None, not {type(initial_value).__name__}")
            # Written parts are joined when they are read.
            self.parts = [initial_value or ""]
            self.position = 0
            self.length = len(self.parts[0])
            self.closed = False
            self.carriage = newline == ""

        def check(self):
            if self.closed:
                raise ValueError("I/O operation on closed file")

        def text(self):
            if len(self.parts) > 1:
                self.parts = ["".join(self.parts)]
            return self.parts[0]

        def getvalue(self):
            self.check()
            return self.text()

        def write(self, s, /):
            self.check()
            if type(s) is not str:
                raise TypeError(f"string argument expected, got '{type(s).__name__}'")
            if s == "":
                return 0
            if self.position == self.length:
                self.parts.append(s)
                self.length += len(s)
                self.position = self.length
                return len(s)
            text = self.text()
            if self.position > self.length:
                text += "\0" * (self.position - self.length)
            end = self.position + len(s)
            self.parts = [text[: self.position] + s + text[end:]]
            self.length = len(self.parts[0])
            self.position = end
            return len(s)

        def writelines(self, lines, /):
            for line in lines:
                self.write(line)

        def read(self, size=-1, /):
            self.check()
            text = self.text()
            begin = min(self.position, self.length)
            end = self.length if size is None or size < 0 else min(begin + size, self.length)
            self.position = max(end, self.position)
            return text[begin:end]

        def readline(self, size=-1, /):
            self.check()
            text = self.text()
            if self.position >= self.length:
                return ""
            end = text.find("\n", self.position)
            end = self.length if end < 0 else end + 1
            if self.carriage:
                carriage = text.find("\r", self.position, end)
                if carriage >= 0 and text[carriage + 1 : carriage + 2] != "\n":
                    end = carriage + 1
            if size is not None and size >= 0:
                end = min(end, self.position + size)
            line = text[self.position : end]
            self.position = end
            return line

        def readlines(self, hint=-1, /):
            lines = []
            total = 0
            while True:
                line = self.readline()
                if not line:
                    return lines
                lines.append(line)
                total += len(line)
                if hint is not None and 0 < hint <= total:
                    return lines

        def seek(self, pos, whence=0, /):
            self.check()
            if whence == 0:
                if pos < 0:
                    raise ValueError(f"Negative seek position {pos}")
                self.position = pos
            elif whence in (1, 2):
                if pos != 0:
                    raise OSError("Can't do nonzero cur-relative seeks")
                if whence == 2:
                    self.position = self.length
            else:
                raise ValueError(f"Invalid whence ({whence}, should be 0, 1 or 2)")
            return self.position

        def tell(self):
            self.check()
            return self.position

        def truncate(self, pos=None, /):
            self.check()
            size = self.position if pos is None else pos
            if size < 0:
                raise ValueError(f"Negative size value {size}")
            if size < self.length:
                self.parts = [self.text()[:size]]
                self.length = size
            return size

        def readable(self):
            self.check()
            return True

        def writable(self):
            self.check()
            return True

        def seekable(self):
            self.check()
            return True

        def isatty(self):
            self.check()
            return False

        def flush(self):
            self.check()

        def close(self):
            self.closed = True

        def __enter__(self):
            self.check()
            return self

        def __exit__(self, exc_type, exc_value, traceback):
            self.close()

        def __iter__(self):
            self.check()
            return self

        def __next__(self):
            line = self.readline()
            if line == "":
                raise StopIteration
            return line

    class BytesIO:
        def __init__(self, initial_bytes=b""):
            if initial_bytes is not None and type(initial_bytes) is not bytes:
                raise TypeError(f"a bytes-like object is required, not '{type(initial_bytes).__name__}'")
            self.parts = [initial_bytes or b""]
            self.position = 0
            self.length = len(self.parts[0])
            self.closed = False

        def check(self):
            if self.closed:
                raise ValueError("I/O operation on closed file.")

        def data(self):
            if len(self.parts) > 1:
                self.parts = [b"".join(self.parts)]
            return self.parts[0]

        def getvalue(self):
            self.check()
            return self.data()

        def write(self, b, /):
            self.check()
            if type(b) is not bytes:
                raise TypeError(f"a bytes-like object is required, not '{type(b).__name__}'")
            if b == b"":
                return 0
            if self.position == self.length:
                self.parts.append(b)
                self.length += len(b)
                self.position = self.length
                return len(b)
            data = self.data()
            if self.position > self.length:
                data += bytes(self.position - self.length)
            end = self.position + len(b)
            self.parts = [data[: self.position] + b + data[end:]]
            self.length = len(self.parts[0])
            self.position = end
            return len(b)

        def writelines(self, lines, /):
            for line in lines:
                self.write(line)

        def read(self, size=-1, /):
            self.check()
            begin = min(self.position, self.length)
            end = self.length if size is None or size < 0 else min(begin + size, self.length)
            self.position = max(end, self.position)
            return self.data()[begin:end]

        def readline(self, size=-1, /):
            self.check()
            if self.position >= self.length:
                return b""
            data = self.data()
            end = data.find(b"\n", self.position)
            end = self.length if end < 0 else end + 1
            if size is not None and size >= 0:
                end = min(end, self.position + size)
            line = data[self.position : end]
            self.position = end
            return line

        def readlines(self, hint=-1, /):
            lines = []
            total = 0
            while True:
                line = self.readline()
                if not line:
                    return lines
                lines.append(line)
                total += len(line)
                if hint is not None and 0 < hint <= total:
                    return lines

        def seek(self, pos, whence=0, /):
            self.check()
            if whence == 0:
                if pos < 0:
                    raise ValueError(f"negative seek value {pos}")
                self.position = pos
            elif whence == 1:
                self.position = max(self.position + pos, 0)
            elif whence == 2:
                self.position = max(self.length + pos, 0)
            else:
                raise ValueError(f"invalid whence ({whence}, should be 0, 1 or 2)")
            return self.position

        def tell(self):
            self.check()
            return self.position

        def truncate(self, size=None, /):
            self.check()
            size = self.position if size is None else size
            if size < 0:
                raise ValueError(f"negative size value {size}")
            if size < self.length:
                self.parts = [self.data()[:size]]
                self.length = size
            return size

        def readable(self):
            self.check()
            return True

        def writable(self):
            self.check()
            return True

        def seekable(self):
            self.check()
            return True

        def flush(self):
            self.check()

        def close(self):
            self.closed = True

        def __enter__(self):
            self.check()
            return self

        def __exit__(self, exc_type, exc_value, traceback):
            self.close()

        def __iter__(self):
            self.check()
            return self

        def __next__(self):
            line = self.readline()
            if line == b"":
                raise StopIteration
            return line

    return {"BytesIO": BytesIO, "SEEK_CUR": 1, "SEEK_END": 2, "SEEK_SET": 0, "StringIO": StringIO}
