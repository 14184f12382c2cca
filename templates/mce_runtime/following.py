# -- the next page where the API says it is --------------------------------------------------------
# The same rules as the host's, in the same words.

_MAX_URL = 60_000
_MAX_LINKS = 100
_AWAY = "its next URL leads away from the server's base URL"
_URL_CHARACTERS = _UNRESERVED | frozenset(b":/?#[]@!$&'()*+,;=%")
_PORTS = {"http": 80, "https": 443}


def _followed(
    function: str,
    api: Api,
    spec: _Spec,
    request: _Request,
    arguments: Mapping[str, Any],
    url: str,
) -> _Request:
    """The request for the page at a URL that came with an answer: it decides no more than the
    query of a further call of the same operation. Headers and cookies are those of the first."""

    def refuse(why: str) -> NoReturn:
        raise EgressError(f"{function}() is refused: {why}")

    if len(url) > _MAX_URL:
        refuse(f"its next URL is longer than {_MAX_URL} bytes")
    if not url.isascii() or any(byte not in _URL_CHARACTERS for byte in url.encode()):
        refuse("its next URL holds characters that no URL holds")
    origin, prefix, _ = _base(api, spec)
    rest, _, query = url.partition("#")[0].partition("?")
    scheme, slashes, after = rest.partition("//")
    has_authority = bool(slashes) and "/" not in scheme
    if has_authority:
        authority, slash, after = after.partition("/")
        rest = slash + after
        own_scheme = origin.partition("://")[0]
        wanted = f"{scheme or f'{own_scheme}:'}//{authority}"
        if "@" in authority or _origin(wanted) != _origin(origin):
            refuse(_AWAY)
    elif ":" in rest.partition("/")[0]:
        refuse(_AWAY)
    own = prefix + request.path
    if not has_authority and not rest.startswith("/"):
        rest = own.rpartition("/")[0] + "/" + rest if rest else own
    from urllib.parse import unquote

    if any(unquote(segment) in (".", "..") for segment in rest.split("/")):
        refuse("its next URL holds `.` or `..` in its path")
    path = rest.removeprefix(prefix)
    if not rest.startswith(prefix) or not path.startswith("/"):
        refuse(_AWAY)
    if not _fits(spec.template, path):
        refuse("its next URL leads to something other than this operation")
    secret = {name for place, name in spec.api_key if place == "query"}
    items: list[str] = []
    for item in query.split("&"):
        name = unquote(item.partition("=")[0].replace("+", " "))
        if _is_declared(spec, arguments, name):
            items.append(item)
        elif item and name not in secret:
            refuse(f"its next URL has the query parameter `{name}`, which is not declared")
    return request._replace(path=path, query=items)


def _origin(url: str) -> tuple[str, str, int | None] | None:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None


def _fits(template: str, path: str) -> bool:
    """Whether an encoded path is one of a template, each placeholder one character or more."""
    import re

    pattern = ""
    rest = template.partition("#")[0].partition("?")[0]
    while rest:
        literal, brace, rest = rest.partition("{")
        _, closing, rest = rest.partition("}")
        pattern += re.escape(_legal(literal)) + ("[^/]+" if brace and closing else "")
    return re.fullmatch(pattern, path) is not None


def _is_declared(spec: _Spec, arguments: Mapping[str, Any], name: str) -> bool:
    for parameter in spec.query:
        if name == parameter.wire_name:
            return True
        if parameter.style == "deepObject" and name.startswith(f"{parameter.wire_name}["):
            return True
        value = arguments.get(parameter.name)
        if parameter.style == "form" and parameter.explode and isinstance(value, dict):
            if name in value:
                return True
    return False


def _next_link(header: str) -> str | None:
    """The target of the first link with ``rel="next"`` (RFC 8288, section 3)."""
    rest = header
    for _ in range(_MAX_LINKS):
        _, opened, rest = rest.partition("<")
        target, closed, rest = rest.partition(">")
        if not opened or not closed:
            return None
        parameters, rest = _link_parameters(rest)
        relations = parameters.get("rel", "").lower().split()
        # A link with an anchor is from elsewhere: it says nothing of this page.
        if "next" in relations and "anchor" not in parameters:
            return target.strip()
    return None


def _link_parameters(rest: str) -> tuple[dict[str, str], str]:
    """The parameters of a link, the first of a name, and what follows them."""
    import re

    parameters: dict[str, str] = {}
    parameter = re.compile(
        r'[ \t]*;([^=;,]*)(?:=[ \t]*(?:"((?:[^"\\]|\\.)*)(?:"|$)|([^;,]*)))?', re.DOTALL
    )
    while (found := parameter.match(rest)) is not None:
        name, quoted, token = found.groups()
        value = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (token or "").strip()
        parameters.setdefault(name.strip().lower(), value)
        rest = rest[found.end() :]
    return parameters, rest
