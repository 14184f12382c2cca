# -- stubs ---------------------------------------------------------------------------------------

_Style = str | tuple[str, bool] | tuple[str, bool, str]
_Encoding = Mapping[str, str | tuple[str, bool] | tuple[str, bool, bool]]
_PartHeaders = Mapping[str, Mapping[str, str]]


# As many arguments of a function are listed in an error.
_MAX_NAMES = 12


class Api:
    """One server: its name and the variables that say where it is."""

    def __init__(
        self,
        server: str,
        *,
        base_url_env: str,
        auth_env: str,
        base_url: str | None = None,
        **unknown: object,
    ) -> None:
        if unknown:
            _too_new(server, unknown)
        self.server = server
        self.base_url_env = base_url_env
        self.auth_env = auth_env
        self.base_url = base_url

    def operation(
        self,
        method: str,
        template: str,
        /,
        *,
        path: Mapping[str, _Style] | None = None,
        query: Mapping[str, _Style] | None = None,
        header: Mapping[str, _Style] | None = None,
        cookie: Mapping[str, _Style] | None = None,
        reserved: tuple[str, ...] = (),
        items: Mapping[str, tuple[str, ...]] | None = None,
        content: Mapping[str, str] | None = None,
        body: tuple[str, ...] | None = None,
        encoding: Mapping[str, _Encoding] | None = None,
        part_headers: Mapping[str, _PartHeaders] | None = None,
        accept: str | None = None,
        responses: Mapping[str, str] | None = None,
        api_key: tuple[tuple[str, str], ...] = (),
        auth: bool = True,
        base_url: str | None = None,
        pages: Mapping[str, str] | None = None,
        **unknown: object,
    ) -> Callable[[Callable[P, R]], Operation[P, R]]:
        """Makes a stub callable.

        ``path``, ``query``, ``header`` and ``cookie`` map a Python name to its style:
        ``"form"``, ``("form", explode)`` or ``("form", explode, name on the wire)``.
        ``items`` are the styles of the lists within a parameter's list, one for each level.
        ``base_url`` is the operation's own server, for where the environment names none.
        ``body`` is the argument's name and its media types, the one to send unasked first.
        ``encoding`` says of a form's media type how its properties are spelt, where not by default:
        ``"form"``, ``("form", explode)``, ``("form", explode, allow reserved)`` or a media type.
        ``part_headers`` says of a multipart media type which headers the parts of a property have.
        ``pages`` says how further pages are reached: see :class:`_Paging`.
        """
        if unknown:
            _too_new(self.server, unknown)

        def spec() -> _Spec:
            def parameters(styles: Mapping[str, _Style] | None) -> tuple[_Parameter, ...]:
                return tuple(
                    _Parameter.read(
                        name, style, name in reserved, (content or {}).get(name)
                    )._replace(items=tuple((items or {}).get(name, ())))
                    for name, style in (styles or {}).items()
                )

            return _Spec(
                method,
                template,
                parameters(path),
                parameters(query),
                parameters(header),
                parameters(cookie),
                body[0] if body else None,
                body[1:] if body else (),
                encoding or {},
                part_headers or {},
                accept,
                responses or {},
                api_key,
                auth,
                base_url,
            )

        def decorate(function: Callable[P, R]) -> Operation[P, R]:
            return Operation(self, function, spec, pages=pages)

        return decorate


def _too_new(server: str, unknown: Mapping[str, object]) -> NoReturn:
    raise RuntimeError(
        f"the compiled functions of {server!r} use {', '.join(sorted(unknown))}, which this "
        f"mce_runtime.py (ABI {_ABI}) does not know: run `mce compile` with one version of mce"
    )


class _ItemPages:
    """``for item in f.items(...)``: the items of all pages. They have their type where an answer is
    their list; the type of a member of an answer is nothing that Python's types can express."""

    @overload
    def __get__(self, operation: None, owner: object = None) -> _ItemPages: ...

    @overload
    def __get__(
        self, operation: Operation[P, list[T]] | Operation[P, list[T] | None], owner: object = None
    ) -> Pages[P, T]: ...

    @overload
    def __get__(self, operation: Operation[P, R], owner: object = None) -> Pages[P, Any]: ...

    def __get__(self, operation: Operation[P, Any] | None, owner: object = None) -> Any:
        if operation is None:
            return self
        paging = _Paging.read(operation.__name__, "items", operation._pages)
        return Pages(operation, paging, True)


class Operation(Generic[P, R]):
    """A compiled function: ``f(...)`` calls it, ``await f.aio(...)`` does so under asyncio."""

    __wrapped__: Callable[P, R]
    __name__: str

    def __init__(
        self,
        api: Api,
        function: Callable[P, R],
        spec: Callable[[], _Spec],
        content_type: str | None = None,
        pages: Mapping[str, str] | None = None,
    ) -> None:
        self.__wrapped__ = function
        self.__module__ = function.__module__
        self.__name__ = function.__name__
        self.__qualname__ = function.__qualname__
        self.__doc__ = function.__doc__
        self._api = api
        self._make_spec = spec
        self._known_spec: _Spec | None = None
        self._content_type = content_type
        self._pages = pages

    def __repr__(self) -> str:
        return f"<operation {self._api.server}.{self.__name__}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        arguments = self._arguments(args, kwargs)
        if _host is not None:
            answer = _host.call(self._api.server, self.__name__, arguments, **self._selection())
            return cast(R, _host_result(answer))
        return cast(R, _call(self._api, self._spec, self._request(arguments))[0])

    async def aio(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """The same call, awaited."""
        arguments = self._arguments(args, kwargs)
        if _host is not None:
            call = _host.call_async
            answer = await call(self._api.server, self.__name__, arguments, **self._selection())
            return cast(R, _host_result(answer))
        value, _ = await _call_async(self._api, self._spec, self._request(arguments))
        return cast(R, value)

    @property
    def pages(self) -> Pages[P, R]:
        """``for page in f.pages(...)``: the answers to this call and to those for further pages."""
        return Pages(self, _Paging.read(self.__name__, "pages", self._pages), False)

    items = _ItemPages()

    def _page(self, arguments: dict[str, Any], url: str | None, linked: bool) -> _Page:
        """A page, and the URL of the next one that came in the header ``Link``."""
        if _host is None:
            value, link = _call(self._api, self._spec, self._page_request(arguments, url))
            return _listed(value), link
        server, name, selection = self._api.server, self.__name__, self._selection()
        if not linked:
            return _listed(_host_result(_host.call(server, name, arguments, **selection))), None
        return _host_page(_host.page(server, name, arguments, url, **selection))

    async def _page_async(self, arguments: dict[str, Any], url: str | None, linked: bool) -> _Page:
        if _host is None:
            request = self._page_request(arguments, url)
            value, link = await _call_async(self._api, self._spec, request)
            return await _listed_async(value), link
        server, name, selection = self._api.server, self.__name__, self._selection()
        if not linked:
            answer = await _host.call_async(server, name, arguments, **selection)
            return _listed(_host_result(answer)), None
        return _host_page(await _host.page_async(server, name, arguments, url, **selection))

    def _page_request(self, arguments: dict[str, Any], url: str | None) -> _Request:
        request = self._request(arguments)
        if url is None:
            return request
        return _followed(self.__name__, self._api, self._spec, request, arguments, url)

    def with_content_type(self, content_type: str) -> Operation[P, R]:
        """The same function, which sends its body as another of the documented media types."""
        _chosen(self.__name__, self._spec, content_type)
        return Operation(
            self._api, self.__wrapped__, self._make_spec, content_type, pages=self._pages
        )

    def _selection(self) -> dict[str, str]:
        return {} if self._content_type is None else {"content_type": self._content_type}

    def _request(self, arguments: Mapping[str, Any]) -> _Request:
        return _encode(self.__name__, self._spec, arguments, self._content_type)

    def _with_files(self, name: str, value: dict[Any, Any]) -> dict[Any, Any]:
        """The members of a multipart body, the files among them with bytes as content."""
        spec = self._spec
        media_type = self._content_type or (spec.media[0] if spec.media else "")
        if name != spec.body or not _essence(media_type).startswith("multipart/"):
            return value
        return {key: _as_file(item) for key, item in value.items()}

    @property
    def _spec(self) -> _Spec:
        # Built at the first call: a module of a thousand stubs should import in no time.
        if self._known_spec is None:
            self._known_spec = self._make_spec()
        return self._known_spec

    def _arguments(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> dict[str, Any]:
        """What was given, as plain values. Raises what Python itself would raise."""
        call = f"{self.__name__}()"
        if args:
            verb = "was" if len(args) == 1 else "were"
            raise TypeError(f"{call} takes 0 positional arguments but {len(args)} {verb} given")
        function: Any = self.__wrapped__
        code = function.__code__
        known = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
        for name in kwargs:
            if name not in known:
                raise TypeError(
                    f"{call} got an unexpected keyword argument {name!r}; {_taken(known)}"
                )
        optional = function.__kwdefaults__ or {}
        required = [name for name in known if name not in optional]
        # What cannot be left out can only be meant as null, where its type has that.
        types = function.__annotations__
        nulls = {
            name
            for name in required
            if kwargs.get(name, NULL) is None and _has_none(str(types.get(name)))
        }
        missing = [name for name in required if kwargs.get(name) is None and name not in nulls]
        if missing:
            plural = "s" if len(missing) > 1 else ""
            raise TypeError(
                f"{call} missing {len(missing)} required keyword-only argument{plural}: "
                f"{_enumeration(missing)}"
            )
        arguments: dict[str, Any] = {}
        for name, value in kwargs.items():
            if value is None and name not in nulls:
                continue
            try:
                if type(value) is dict and any(type(item) in (tuple, list) for item in value.values()):
                    value = self._with_files(name, value)
                arguments[name] = _plain(value, [])
            except (TypeError, ValueError) as error:
                # Not chained: a value's own error may be of any size and says no more. And not of
                # its own class: such as ``UnicodeError`` cannot be made of a text.
                kind = TypeError if isinstance(error, TypeError) else ValueError
                raise kind(f"{call} argument {name!r} {error}") from None
        return arguments


def _as_file(value: Any) -> Any:
    """A tuple of a file name and text, and perhaps a media type, with the text as bytes. A list of
    texts is a list of texts."""
    match value:
        case (str(), str(content), *rest) if type(value) is tuple and len(rest) < 2:
            media_type = rest[0] if rest and isinstance(rest[0], str) else ""
            try:
                return (value[0], _encoded_text(media_type, _checked_text(content)), *rest)
            except _Unfit as problem:
                raise TypeError(str(problem)) from None
    if type(value) is list:
        return [_as_file(item) if type(item) is tuple else item for item in value]
    return value


def _has_none(annotation: str) -> bool:
    """Whether a type has ``None`` at its top: ``X | None``, ``None | X`` or ``None`` alone.

    Read from its text, which is all that there is: to evaluate it would import every type of the
    module. A ``|`` within brackets is not at the top, and brackets within quotes are none.
    """
    import re

    quoted = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*["]"""
    depth = 0
    word = ""
    for character in re.sub(quoted, "", annotation) + "|":
        depth += (character in "[(") - (character in "])")
        if character == "|" and not depth:
            if word.strip() == "None":
                return True
            word = ""
        else:
            word += character
    return False


def _taken(names: tuple[str, ...]) -> str:
    """Which arguments a function takes, those that it needs first."""
    if not names:
        return "it takes none"
    shown = ", ".join(repr(name) for name in names[:_MAX_NAMES])
    return f"it takes {shown}{', …' if len(names) > _MAX_NAMES else ''}"


def _enumeration(names: list[str]) -> str:
    """``'a'``, ``'a' and 'b'``, ``'a', 'b', and 'c'``: as Python lists missing arguments."""
    quoted = [repr(name) for name in names]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return f"{', '.join(quoted[:-1])}, and {quoted[-1]}"
