# -- the outside backend -------------------------------------------------------------------------


class _Outgoing(NamedTuple):
    """A request ready to send, and the secrets in it."""

    method: str
    url: str
    target: bytes
    headers: list[tuple[str, str]]
    body: bytes | None
    secrets: list[str]


def _call(api: Api, spec: _Spec, request: _Request) -> _Page:
    outgoing = _address(api, spec, request)
    client = _client()
    response = problem = None
    try:
        response = client.send(_build(client, outgoing), stream=True)
        reader = _reader(spec, response.status_code, response.headers.get("content-type"))
        if reader is not None:
            kind = EventStream if isinstance(reader, _Events) else ItemStream
            return kind(_arriving(response, reader), end=response.close), None
        response.read()
    except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
        response, problem = None, type(error).__name__
    return _result(api, spec, outgoing, response, problem)


def _arriving(response: Any, reader: _Items) -> Iterator[Any]:
    problem = None
    try:
        try:
            for data in response.iter_bytes():
                yield from reader.feed(data)
        except _TooLong as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
            problem = type(error).__name__
        if problem is not None:
            raise ApiError(0, message=f"the stream broke off: {problem}")
        yield from reader.feed(b"", final=True)
    finally:
        response.close()


async def _call_async(api: Api, spec: _Spec, request: _Request) -> _Page:
    outgoing = _address(api, spec, request)
    client = _async_client()
    response = problem = None
    try:
        response = await client.send(_build(client, outgoing), stream=True)
        reader = _reader(spec, response.status_code, response.headers.get("content-type"))
        if reader is not None:
            kind = EventStream if isinstance(reader, _Events) else ItemStream
            return kind(_arriving_async(response, reader), end=response.aclose), None
        await response.aread()
    except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
        response, problem = None, type(error).__name__
    return _result(api, spec, outgoing, response, problem)


async def _arriving_async(response: Any, reader: _Items) -> AsyncIterator[Any]:
    problem = None
    try:
        try:
            async for data in response.aiter_bytes():
                for item in reader.feed(data):
                    yield item
        except _TooLong as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold the URL
            problem = type(error).__name__
        if problem is not None:
            raise ApiError(0, message=f"the stream broke off: {problem}")
        for item in reader.feed(b"", final=True):
            yield item
    finally:
        await response.aclose()


def _build(client: Any, outgoing: _Outgoing) -> Any:
    return client.build_request(
        outgoing.method,
        outgoing.url,
        headers=outgoing.headers,
        content=outgoing.body,
        # httpx has its own idea of what to encode; the request line is to be exactly ours.
        extensions={"target": outgoing.target},
    )


def _result(
    api: Api, spec: _Spec, outgoing: _Outgoing, response: Any, problem: str | None
) -> _Page:
    if response is None:
        raise ApiError(
            0,
            message=f"no answer from the server {api.server!r}: {problem}; "
            f"the environment variable {api.base_url_env} says where it is",
        )
    status: int = response.status_code
    content_type: str | None = response.headers.get("content-type")
    body: bytes = response.content
    value = _decode(spec, status, content_type, body)
    if 200 <= status < 300:
        link = response.headers.get("link")
        return value, _next_link(link) if link else None
    # An API may echo what it was sent. Before the text is cut, and after it is unescaped.
    for secret in outgoing.secrets:
        body = body.replace(secret.encode(), b"***")
    message = _error_message(status, content_type, body)
    for secret in outgoing.secrets:
        message = message.replace(secret, "***")
    raise ApiError(status, value, _visible_headers(response.headers), message)


def _setting(name: str) -> str | None:
    """An environment variable, fit for a header; empty is unset. Errors never show the value."""
    value = os.environ.get(name, "").strip()
    if any(not " " <= character <= "~" for character in value):
        raise RuntimeError(
            f"the environment variable {name} holds characters other than visible ASCII"
        )
    return value or None


def _address(api: Api, spec: _Spec, request: _Request) -> _Outgoing:
    """Adds the base URL and the credentials of the environment."""
    origin, prefix, userinfo = _base(api, spec)
    if any(segment in (".", "..") for segment in request.path.split("/")):
        raise ValueError("an argument makes a path segment `.` or `..`, which URLs cannot hold")
    variables = api.base_url_env.removesuffix("BASE_URL")
    headers = list(request.headers)
    query = list(request.query)
    cookies = list(request.cookies)
    secrets: list[str] = []

    def add_header(name: str, value: str) -> None:
        if name.lower() not in {known.lower() for known, _ in headers}:
            headers.append((name, value))

    if spec.auth:
        authorization = _setting(api.auth_env)
        if authorization is not None:
            if authorization.lower().startswith("authorization:"):
                authorization = authorization[len("authorization:") :].strip()
            secrets += [authorization, *authorization.split(" ")[1:]]
            add_header("Authorization", authorization)
        elif userinfo is not None:
            from base64 import b64encode

            token = b64encode(userinfo.encode()).decode()
            secrets.append(token)
            add_header("Authorization", f"Basic {token}")
    if userinfo is not None:
        secrets += userinfo.split(":", 1)
    key = _setting(f"{variables}API_KEY")
    if key is not None:
        secrets.append(key)
        for place, name in spec.api_key:
            if place == "header":
                add_header(name, key)
            elif place == "query" and all(item.partition("=")[0] != _quote(name) for item in query):
                query.append(f"{_quote(name)}={_quote(key)}")
            elif place == "cookie" and all(known != name for known, _ in cookies):
                cookies.append((name, key))
    own = {name for name, _ in cookies}
    for item in (_setting(f"{variables}COOKIE") or "").split(";"):
        name, _, value = item.strip().partition("=")
        if name and name not in own:
            cookies.append((name, value))
            secrets.append(value)
    if cookies:
        headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies)))
    for name, value in _extra_headers(f"{variables}EXTRA_HEADERS").items():
        secrets.append(value)
        add_header(name, value)
    target = prefix + request.path + (f"?{'&'.join(query)}" if query else "")
    # Long ones first: a short secret within a long one must not leave the rest readable.
    known_secrets = sorted({text for text in secrets if len(text) > 3}, key=len, reverse=True)
    return _Outgoing(
        request.method, origin + target, target.encode(), headers, request.body, known_secrets
    )


def _base(api: Api, spec: _Spec) -> tuple[str, str, str | None]:
    """Origin, path prefix without a slash at its end, and the userinfo of the base URL."""
    from urllib.parse import unquote, urlsplit

    text = os.environ.get(api.base_url_env, "").strip() or spec.base_url or api.base_url
    if not text:
        raise RuntimeError(
            f"the server {api.server!r} has no base URL: set the environment variable "
            f"{api.base_url_env}, for example to https://api.example.com/v1"
        )
    try:
        parts = urlsplit(text)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment or not text.isascii() or " " in text:
        raise RuntimeError(
            f"the base URL of the server {api.server!r} (environment variable "
            f"{api.base_url_env}) must be http(s)://host[:port][/path], in ASCII"
        )
    userinfo, _, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{host}", parts.path.rstrip("/"), unquote(userinfo) or None


def _extra_headers(variable: str) -> dict[str, str]:
    text = _setting(variable)
    if text is None:
        return {}
    is_json, value = _parsed(text)
    if not is_json or not isinstance(value, dict) or not _are_headers(value):
        raise RuntimeError(
            f"the environment variable {variable} must be a JSON object of header names and "
            'visible ASCII values, such as {"X-Tenant": "blue"}'
        )
    return {str(name): str(item) for name, item in value.items()}


def _are_headers(members: Mapping[str, Any]) -> bool:
    return all(
        name and isinstance(text, str) and all(" " <= c <= "~" for c in name + text)
        for name, text in members.items()
    )


_lock = threading.Lock()
_clients: dict[int, Any] = {}
# By the identity of the event loop: the loop and its client.
_async_clients: dict[int, tuple[Any, Any]] = {}


def _client_options() -> tuple[Any, dict[str, Any]]:
    try:
        import httpx
    except ModuleNotFoundError:
        raise RuntimeError(
            "outside the sandbox, compiled functions need the package `httpx`: pip install httpx"
        ) from None
    from http.cookiejar import CookieJar, DefaultCookiePolicy

    return httpx, {
        "timeout": _TIMEOUT_SECONDS,
        "follow_redirects": False,
        # A cookie that one answer sets must not travel with the next call.
        "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        "headers": {"User-Agent": _USER_AGENT, "Accept-Encoding": "gzip"},
    }


def _made_client(make: Any, options: dict[str, Any]) -> Any:
    client = make(**options)
    # The host's requests have no such header, and HTTP/1.1 keeps connections anyway.
    del client.headers["Connection"]
    return client


def _client() -> Any:
    """The process's client: connections are reused, but not across a fork."""
    with _lock:
        client = _clients.get(os.getpid())
        if client is None:
            httpx, options = _client_options()
            _clients.clear()
            client = _clients[os.getpid()] = _made_client(httpx.Client, options)
        return client


def _async_client() -> Any:
    """The running event loop's client: a connection belongs to the loop that opened it."""
    import asyncio

    loop = asyncio.get_running_loop()
    with _lock:
        # A client holds its loop, so that neither would ever be freed. What is open still in a loop
        # that was closed can only be dropped.
        for key, (known, _) in list(_async_clients.items()):
            if known.is_closed():
                del _async_clients[key]
        found = _async_clients.get(id(loop))
        if found is None:
            httpx, options = _client_options()
            found = _async_clients[id(loop)] = (loop, _made_client(httpx.AsyncClient, options))
        return found[1]
