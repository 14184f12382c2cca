# urllib.parse: results are objects with the same fields (no indexing); left out are bytes URLs, the *Bytes classes,
# and encodings other than UTF-8.
def _mce_module_urllib_parse():
    import re
    import unicodedata

    uses_relative = (
        ["", "ftp", "http", "gopher", "nntp", "imap", "wais", "file", "https", "shttp", "mms"]
        + ["prospero", "rtsp", "rtsps", "rtspu", "sftp", "svn", "svn+ssh", "ws", "wss"]
    )
    uses_netloc = (
        ["", "ftp", "http", "gopher", "nntp", "telnet", "imap", "wais", "file", "mms", "https", "shttp", "snews"]
        + ["prospero", "rtsp", "rtsps", "rtspu", "rsync", "svn", "svn+ssh", "sftp", "nfs", "git", "git+ssh"]
        + ["ws", "wss", "itms-services"]
    )
    uses_params = (
        ["", "ftp", "hdl", "prospero", "http", "imap", "https", "shttp", "rtsp", "rtsps", "rtspu", "sip"]
        + ["sips", "mms", "sftp", "tel"]
    )
    scheme_chars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."
    always_safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"
    controls = "".join([chr(code) for code in range(33)])

    def need_text(*values):
        for value in values:
            if type(value) is bytes:
                raise NotImplementedError("urllib.parse of bytes is unsupported")

    def utf8(encoding):
        if encoding is not None and encoding.lower().replace("_", "-") not in ("utf-8", "utf8"):
            raise NotImplementedError(f"urllib.parse with encoding {encoding!r} is unsupported")

    class SplitResult:
        def __init__(self, scheme, netloc, path, query, fragment):
            self.scheme = scheme
            self.netloc = netloc
            self.path = path
            self.query = query
            self.fragment = fragment
            self._fields = ("scheme", "netloc", "path", "query", "fragment")
            add_host(self)

        def parts(self):
            return (self.scheme, self.netloc, self.path, self.query, self.fragment)

        def __iter__(self):
            return iter(self.parts())

        def __len__(self):
            return 5

        def __getitem__(self, index):
            return self.parts()[index]

        def __eq__(self, other):
            return equal(self, other)

        def __hash__(self):
            return hash(self.parts())

        def __repr__(self):
            return shown("SplitResult", self)

        def __contains__(self, item):
            return item in self.parts()

        def _asdict(self):
            return dict(zip(self._fields, self.parts()))

        def _replace(self, **changes):
            return SplitResult(**replaced(self, changes))

        def geturl(self):
            return urlunsplit(self)

    class ParseResult:
        def __init__(self, scheme, netloc, path, params, query, fragment):
            self.scheme = scheme
            self.netloc = netloc
            self.path = path
            self.params = params
            self.query = query
            self.fragment = fragment
            self._fields = ("scheme", "netloc", "path", "params", "query", "fragment")
            add_host(self)

        def parts(self):
            return (self.scheme, self.netloc, self.path, self.params, self.query, self.fragment)

        def __iter__(self):
            return iter(self.parts())

        def __len__(self):
            return 6

        def __getitem__(self, index):
            return self.parts()[index]

        def __eq__(self, other):
            return equal(self, other)

        def __hash__(self):
            return hash(self.parts())

        def __repr__(self):
            return shown("ParseResult", self)

        def __contains__(self, item):
            return item in self.parts()

        def _asdict(self):
            return dict(zip(self._fields, self.parts()))

        def _replace(self, **changes):
            return ParseResult(**replaced(self, changes))

        def geturl(self):
            return urlunparse(self)

    class DefragResult:
        def __init__(self, url, fragment):
            self.url = url
            self.fragment = fragment
            self._fields = ("url", "fragment")

        def parts(self):
            return (self.url, self.fragment)

        def __iter__(self):
            return iter(self.parts())

        def __len__(self):
            return 2

        def __getitem__(self, index):
            return self.parts()[index]

        def __eq__(self, other):
            return equal(self, other)

        def __hash__(self):
            return hash(self.parts())

        def __repr__(self):
            return shown("DefragResult", self)

        def geturl(self):
            return self.url + "#" + self.fragment if self.fragment else self.url

    def equal(result, other):
        if isinstance(other, (SplitResult, ParseResult, DefragResult)):
            return result.parts() == other.parts()
        return result.parts() == other

    def shown(name, result):
        values = [f"{field}={value!r}" for field, value in zip(result._fields, result.parts())]
        return f"{name}({', '.join(values)})"

    def replaced(result, changes):
        values = dict(zip(result._fields, result.parts()))
        unknown = [name for name in changes if name not in values]
        if unknown:
            raise TypeError(f"Got unexpected field names: {unknown!r}")
        values.update(changes)
        return values

    def add_host(result):
        userinfo, have_user, host = result.netloc.rpartition("@")
        username, have_password, password = userinfo.partition(":")
        result.username = username if have_user else None
        result.password = password if have_user and have_password else None
        before, have_bracket, bracketed = host.partition("[")
        if have_bracket:
            hostname, _, port = bracketed.partition("]")
            _, _, port = port.partition(":")
        else:
            hostname, _, port = host.partition(":")
        if hostname:
            name, percent, zone = hostname.partition("%")
            result.hostname = name.lower() + percent + zone
        else:
            result.hostname = None
        if not port:
            result.port = None
        elif port.isdigit() and port.isascii() and int(port) <= 65535:
            result.port = int(port)
        # A bad port has no attribute here: reading it raises AttributeError where CPython raises ValueError.

    def check_netloc(netloc):
        if not netloc or netloc.isascii():
            return
        bare = netloc.replace("@", "").replace(":", "").replace("#", "").replace("?", "")
        normal = unicodedata.normalize("NFKC", bare)
        if bare == normal:
            return
        for char in "/?#@:":
            if char in normal:
                raise ValueError(f"netloc '{netloc}' contains invalid characters under NFKC normalization")

    def check_bracketed(host):
        if host.startswith("v"):
            if re.match(r"\Av[a-fA-F0-9]+\.[^\n]+\z", host) is None:
                raise ValueError("IPvFuture address is invalid")
            return
        address, percent, zone = host.partition("%")
        if is_ipv4(host):
            raise ValueError("An IPv4 address cannot be in brackets")
        if not is_ipv6(address) or (percent and (not zone or "%" in zone)):
            raise ValueError(f"{host!r} does not appear to be an IPv4 or IPv6 address")

    def is_ipv4(text):
        parts = text.split(".")
        if len(parts) != 4:
            return False
        for part in parts:
            if not (part.isascii() and part.isdigit() and len(part) <= 3 and int(part) <= 255):
                return False
            if part != "0" and part[0] == "0":
                return False
        return True

    def is_ipv6(text):
        if "." in text:
            head, _, tail = text.rpartition(":")
            if not is_ipv4(tail):
                return False
            text = head + ":0:0"
        if text.count("::") > 1 or ":::" in text:
            return False
        parts = text.split(":")
        groups = [part for part in parts if part]
        for part in groups:
            if len(part) > 4 or part.strip("0123456789abcdefABCDEF"):
                return False
        if "::" in text:
            if text[:1] == ":" and text[:2] != "::" or text[-1:] == ":" and text[-2:] != "::":
                return False
            return len(groups) <= 7
        return len(parts) == 8 and len(groups) == 8

    def urlsplit(url, scheme="", allow_fragments=True):
        need_text(url, scheme)
        url = url.lstrip(controls)
        scheme = scheme.strip(controls)
        for char in "\t\r\n":
            url = url.replace(char, "")
            scheme = scheme.replace(char, "")
        netloc = ""
        query = ""
        fragment = ""
        colon = url.find(":")
        if colon > 0 and url[0].isascii() and url[0].isalpha() and url[:colon].strip(scheme_chars) == "":
            scheme = url[:colon].lower()
            url = url[colon + 1 :]
        if url[:2] == "//":
            ends = [end for end in [url.find(char, 2) for char in "/?#"] if end >= 0]
            end = min(ends, default=len(url))
            netloc = url[2:end]
            url = url[end:]
            if ("[" in netloc) != ("]" in netloc):
                raise ValueError("Invalid IPv6 URL")
            if "[" in netloc:
                check_bracketed(netloc.partition("[")[2].partition("]")[0])
        if allow_fragments and "#" in url:
            url, _, fragment = url.partition("#")
        if "?" in url:
            url, _, query = url.partition("?")
        check_netloc(netloc)
        return SplitResult(scheme, netloc, url, query, fragment)

    def urlparse(url, scheme="", allow_fragments=True):
        scheme, netloc, path, query, fragment = urlsplit(url, scheme, allow_fragments)
        params = ""
        if scheme in uses_params and ";" in path:
            mark = path.find(";", max(path.rfind("/"), 0))
            if mark >= 0:
                params = path[mark + 1 :]
                path = path[:mark]
        return ParseResult(scheme, netloc, path, params, query, fragment)

    def urlunsplit(components):
        scheme, netloc, url, query, fragment = components
        need_text(scheme, netloc, url, query, fragment)
        if netloc:
            if url and url[:1] != "/":
                url = "/" + url
            url = "//" + netloc + url
        elif url[:2] == "//" or (scheme and scheme in uses_netloc and (not url or url[:1] == "/")):
            url = "//" + url
        if scheme:
            url = scheme + ":" + url
        if query:
            url = url + "?" + query
        if fragment:
            url = url + "#" + fragment
        return url

    def urlunparse(components):
        scheme, netloc, url, params, query, fragment = components
        if params:
            url = f"{url};{params}"
        return urlunsplit((scheme, netloc, url, query, fragment))

    def urljoin(base, url, allow_fragments=True):
        if not base:
            return url
        if not url:
            return base
        need_text(base, url)
        old = urlparse(base, "", allow_fragments)
        scheme, netloc, path, params, query, fragment = urlparse(url, old.scheme, allow_fragments)
        if scheme != old.scheme or scheme not in uses_relative:
            return url
        if scheme in uses_netloc:
            if netloc:
                return urlunparse((scheme, netloc, path, params, query, fragment))
            netloc = old.netloc
        if not path and not params:
            return urlunparse((scheme, netloc, old.path, old.params, query or old.query, fragment))
        base_parts = old.path.split("/")
        if base_parts[-1] != "":
            base_parts.pop()
        if path[:1] == "/":
            segments = path.split("/")
        else:
            segments = base_parts + path.split("/")
            if len(segments) > 1:
                segments = segments[:1] + [part for part in segments[1:-1] if part] + segments[-1:]
        resolved = []
        for segment in segments:
            if segment == "..":
                if resolved:
                    resolved.pop()
            elif segment != ".":
                resolved.append(segment)
        if segments[-1] in (".", ".."):
            resolved.append("")
        return urlunparse((scheme, netloc, "/".join(resolved) or "/", params, query, fragment))

    def urldefrag(url):
        need_text(url)
        if "#" not in url:
            return DefragResult(url, "")
        parsed = urlparse(url)
        return DefragResult(urlunparse(parsed._replace(fragment="")), parsed.fragment)

    def quote_from_bytes(bs, safe="/"):
        if type(bs) is not bytes:
            raise TypeError("quote_from_bytes() expected bytes")
        if type(safe) is bytes:
            safe = safe.decode("ascii", "ignore")
        parts = []
        for code in bs:
            char = chr(code)
            if code < 128 and (char in always_safe or char in safe):
                parts.append(char)
            else:
                parts.append(f"%{code:02X}")
        return "".join(parts)

    def quote(string, safe="/", encoding=None, errors=None):
        if type(string) is bytes:
            if encoding is not None:
                raise TypeError("quote() doesn't support 'encoding' for bytes")
            if errors is not None:
                raise TypeError("quote() doesn't support 'errors' for bytes")
            return quote_from_bytes(string, safe)
        if type(string) is not str:
            if encoding is not None:
                raise TypeError("quote() doesn't support 'encoding' for bytes")
            if errors is not None:
                raise TypeError("quote() doesn't support 'errors' for bytes")
            raise TypeError("quote_from_bytes() expected bytes")
        utf8(encoding)
        return quote_from_bytes(string.encode(), safe)

    def quote_plus(string, safe="", encoding=None, errors=None):
        space = b" " if type(string) is bytes else " "
        if isinstance(string, (str, bytes)) and space not in string:
            return quote(string, safe, encoding, errors)
        if type(safe) is bytes:
            safe = safe.decode()
        return quote(string, safe + " ", encoding, errors).replace(" ", "+")

    def unquote_to_bytes(string):
        if type(string) is str:
            string = string.encode()
        parts = string.split(b"%")
        result = [parts[0]]
        for part in parts[1:]:
            digits = part[:2]
            try:
                text = digits.decode("ascii")
            except UnicodeDecodeError:
                text = ""
            if len(text) == 2 and text.strip("0123456789abcdefABCDEF") == "":
                result.append(bytes.fromhex(text))
                result.append(part[2:])
            else:
                result.append(b"%")
                result.append(part)
        return b"".join(result)

    def unquote(string, encoding="utf-8", errors="replace"):
        utf8(encoding)
        errors = "replace" if errors is None else errors
        if type(string) is bytes:
            return unquote_to_bytes(string).decode("utf-8", errors)
        if "%" not in string:
            return string
        # Runs of ASCII are decoded one by one, as in CPython.
        parts = []
        run = []
        for char in string:
            if char.isascii():
                run.append(char)
            else:
                if run:
                    parts.append(unquote_to_bytes("".join(run)).decode("utf-8", errors))
                    run = []
                parts.append(char)
        if run:
            parts.append(unquote_to_bytes("".join(run)).decode("utf-8", errors))
        return "".join(parts)

    def unquote_plus(string, encoding="utf-8", errors="replace"):
        return unquote(string.replace("+", " "), encoding, errors)

    def parse_qsl(
        qs,
        keep_blank_values=False,
        strict_parsing=False,
        encoding="utf-8",
        errors="replace",
        max_num_fields=None,
        separator="&",
    ):
        need_text(qs, separator)
        if not separator or type(separator) is not str:
            raise ValueError("Separator must be of type string or bytes.")
        if not qs:
            return []
        if max_num_fields is not None and max_num_fields < 1 + qs.count(separator):
            raise ValueError("Max number of fields exceeded")
        pairs = []
        for part in qs.split(separator):
            if part or strict_parsing:
                name, has_equal, value = part.partition("=")
                if not has_equal and strict_parsing:
                    raise ValueError(f"bad query field: {part!r}")
                if value or keep_blank_values:
                    pairs.append((unquote_plus(name, encoding, errors), unquote_plus(value, encoding, errors)))
        return pairs

    def parse_qs(
        qs,
        keep_blank_values=False,
        strict_parsing=False,
        encoding="utf-8",
        errors="replace",
        max_num_fields=None,
        separator="&",
    ):
        result = {}
        for name, value in parse_qsl(
            qs, keep_blank_values, strict_parsing, encoding, errors, max_num_fields, separator
        ):
            result.setdefault(name, []).append(value)
        return result

    def urlencode(query, doseq=False, safe="", encoding=None, errors=None, quote_via=quote_plus):
        if isinstance(query, dict):
            query = list(query.items())
        elif not isinstance(query, (list, tuple, str, bytes)) or (query and not isinstance(query[0], tuple)):
            raise TypeError("not a valid non-string sequence or mapping object")

        def quoted(value):
            if type(value) is bytes:
                return quote_via(value, safe)
            return quote_via(str(value), safe, encoding, errors)

        parts = []
        for key, value in query:
            key = quoted(key)
            sized = isinstance(value, (list, tuple, dict, set, frozenset, range, _mce_Deque, _mce_VIEWS))
            if doseq and (sized or hasattr(value, "__len__")):
                for item in value:
                    parts.append(key + "=" + quoted(item))
            else:
                parts.append(key + "=" + quoted(value))
        return "&".join(parts)

    return {
        "DefragResult": DefragResult,
        "ParseResult": ParseResult,
        "SplitResult": SplitResult,
        "parse_qs": parse_qs,
        "parse_qsl": parse_qsl,
        "quote": quote,
        "quote_from_bytes": quote_from_bytes,
        "quote_plus": quote_plus,
        "unquote": unquote,
        "unquote_plus": unquote_plus,
        "unquote_to_bytes": unquote_to_bytes,
        "urldefrag": urldefrag,
        "urlencode": urlencode,
        "urljoin": urljoin,
        "urlparse": urlparse,
        "urlsplit": urlsplit,
        "urlunparse": urlunparse,
        "urlunsplit": urlunsplit,
    }
