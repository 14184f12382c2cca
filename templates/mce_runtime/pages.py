# -- pages ---------------------------------------------------------------------------------------

# The value of a page, and the URL of the next one from the header ``Link``.
_Page = tuple[object, str | None]


class Pages(Generic[P, T]):
    """What ``f.pages`` and ``f.items`` are: called, an iterator that asks for a page when the loop
    comes to it. ``async for ... in f.pages.aio(...)`` is the same under asyncio."""

    def __init__(self, operation: Operation[P, Any], paging: _Paging, of_items: bool) -> None:
        self._operation = operation
        self._paging = paging
        self._of_items = of_items

    def __repr__(self) -> str:
        return f"<{'items' if self._of_items else 'pages'} of {self._operation!r}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        return self._through(self._walk(args, kwargs))

    def aio(self, *args: P.args, **kwargs: P.kwargs) -> AsyncIterator[T]:
        """The same for ``async for``."""
        return self._through_async(self._walk(args, kwargs))

    def _walk(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> _Walk:
        # Here rather than at the first step: an error belongs to the line with the mistake.
        arguments = self._operation._arguments(args, kwargs)
        return _Walk(self._operation.__name__, self._paging, arguments, self._of_items)

    def _through(self, walk: _Walk) -> Iterator[T]:
        while walk.goes_on:
            try:
                page = self._operation._page(*walk.asks_for())
            except ApiError as error:
                if walk.ends_with(error):
                    return
                raise
            yield from cast("list[T]", walk.takes(*page))

    async def _through_async(self, walk: _Walk) -> AsyncIterator[T]:
        while walk.goes_on:
            try:
                page = await self._operation._page_async(*walk.asks_for())
            except ApiError as error:
                if walk.ends_with(error):
                    return
                raise
            for item in cast("list[T]", walk.takes(*page)):
                yield item


class _Paging(NamedTuple):
    """How further pages are reached, as the decorator describes it.

    ``kind``: ``link`` (the header ``Link``), ``next_url`` (a URL at ``field``), ``cursor`` (the
    ``parameter`` becomes what is at ``field``), ``page`` and ``offset`` (the ``parameter`` counts
    from ``first``). ``items`` is the place of the list, ``size`` the parameter that bounds it.
    """

    kind: str
    parameter: str
    field: str
    items: str | None
    size: str
    first: int

    @classmethod
    def read(cls, name: str, wanted: str, stated: Mapping[str, str] | None) -> _Paging:
        if stated is None:
            raise AttributeError(
                f"{name}() has no `{wanted}`: its document shows no pagination; call {name}() itself"
            )
        kind, items = stated["kind"], stated.get("items")
        if items is None and wanted == "items":
            raise AttributeError(
                f"{name}() has no `items`: its document does not show where they are; use `pages`"
            )
        first = int(stated.get("first", "1" if kind == "page" else "0"))
        parameter, field = stated.get("parameter", ""), stated.get("field", "")
        return cls(kind, parameter, field, items, stated.get("size", ""), first)


class _Walk:
    """One way through pages: what to ask for next, and when there is no more."""

    def __init__(
        self, name: str, paging: _Paging, arguments: dict[str, Any], of_items: bool
    ) -> None:
        self.goes_on = True
        self._name = name
        self._paging = paging
        self._arguments = arguments
        self._of_items = of_items
        self._url: str | None = None
        self._seen: set[str] = set()
        self._number = 0
        self._before: object = None
        self._longest = 0
        self._items = 0
        self._starts_at_first = paging.parameter not in arguments

    def asks_for(self) -> tuple[dict[str, Any], str | None, bool]:
        """Arguments, the page's URL if it has one, and whether pages are reached by URLs."""
        return self._arguments, self._url, self._paging.kind in ("link", "next_url")

    def ends_with(self, error: ApiError) -> bool:
        """Whether an error only says that there is no such page: so some APIs end a count."""
        is_counted = self._paging.kind in ("page", "offset")
        return is_counted and self._number > 0 and error.status == 404

    def takes(self, value: object, link: str | None) -> list[object]:
        """What a page brings to the loop. Decides whether there is another one."""
        self._number += 1
        items = None if self._paging.items is None else _at(value, self._paging.items)
        found = items if isinstance(items, list) else []
        self.goes_on = False
        if self._paging.kind in ("page", "offset"):
            if self._number > 1 and not found:
                return []
            if self._number > 1 and value == self._before:
                if self._longest < self._size():
                    # The list was complete, and the API does not count.
                    return []
                self._repeats(f"the same for another `{self._paging.parameter}`")
            self._count(value, found)
            self._before = value
        elif self._paging.kind == "cursor":
            self._go_to_cursor(value, found)
        else:
            self._go_to_url(link if self._paging.kind == "link" else _at(value, self._paging.field))
        if not self._of_items:
            return [value]
        if items is not None and not isinstance(items, list):
            raise RuntimeError(
                f"{self._name}(): page {self._number} has no list at `{self._paging.items}`; "
                "use `pages`"
            )
        return found

    def _size(self) -> float:
        size = self._arguments.get(self._paging.size)
        return size if isinstance(size, int) and size > 0 else float("inf")

    def _count(self, value: object, found: list[object]) -> None:
        """The next number, unless this page is the last."""
        count = len(found)
        self._items += count
        # Shorter than asked for is the last page, but for the first, which a limit of the API's
        # own may have cut.
        is_short = count < self._size() and count < self._longest
        self._longest = max(self._longest, count)
        more = _says_more(value)
        if not found or more is False or (is_short and more is None):
            return
        # A page that says itself that there is more needs no totals. And a total that is no more
        # than the first page of as many as were asked for may be the count of that page.
        is_full_first = self._number == 1 and count == self._size()
        if more is None and self._starts_at_first and not is_full_first:
            if _is_all(value, self._items, self._number, self._paging.kind):
                return
        parameter = self._paging.parameter
        current = self._arguments.get(parameter, self._paging.first)
        if isinstance(current, bool) or not isinstance(current, (int, float)):
            raise TypeError(f"{self._name}() argument {parameter!r} must be int to go on from it")
        step = 1 if self._paging.kind == "page" else count
        self._arguments = {**self._arguments, parameter: int(current) + step}
        self.goes_on = True

    def _go_to_cursor(self, value: object, found: list[object]) -> None:
        cursor = _at(value, self._paging.field)
        if cursor in (None, "", False) or _says_more(value) is False:
            return
        if isinstance(cursor, bool) or not isinstance(cursor, (str, int)):
            raise RuntimeError(
                f"{self._name}(): what page {self._number} has at `{self._paging.field}` is no cursor"
            )
        is_empty = self._paging.items is not None and not found
        is_known = str(cursor) in self._seen or cursor == self._arguments.get(
            self._paging.parameter
        )
        if is_known and not is_empty:
            self._repeats("the cursor of an earlier one")
        if is_known:
            return
        self._seen.add(str(cursor))
        self._arguments = {**self._arguments, self._paging.parameter: cursor}
        self.goes_on = True

    def _go_to_url(self, url: object) -> None:
        if isinstance(url, dict):
            url = url.get("href")
        if url in (None, "", False):
            return
        if not isinstance(url, str):
            raise RuntimeError(
                f"{self._name}(): what page {self._number} has at `{self._paging.field}` is no URL"
            )
        if url in self._seen:
            self._repeats("the next URL of an earlier one")
        self._seen.add(url)
        self._url = url
        self.goes_on = True

    def _repeats(self, what: str) -> NoReturn:
        raise RuntimeError(
            f"{self._name}(): page {self._number} has {what}; stopped, since this would not end"
        )


def _at(value: Any, path: str) -> Any:
    """What is at a dotted path, where a name may hold dots itself; None where nothing is."""
    while path:
        if isinstance(value, dict) and path in value:
            return value[path]
        name, _, path = path.partition(".")
        if isinstance(value, list) and name == "-1" and value:
            value = value[-1]
        elif isinstance(value, dict):
            value = value.get(name)
        else:
            return None
    return value


_ABOUT_THE_PAGE = ("meta", "metadata", "_meta", "pagination", "paging", "page", "page_info", "pageInfo")


def _said(value: object, names: frozenset[str]) -> list[Any]:
    """What a page says of itself under these names, spelt without case and underscores."""
    if not isinstance(value, dict):
        return []
    places = [value, *(value.get(name) for name in _ABOUT_THE_PAGE)]
    return [
        item
        for place in places
        if isinstance(place, dict)
        for name, item in place.items()
        if name.lower().replace("_", "").replace("-", "") in names
    ]


_MORE = frozenset(("hasmore", "hasnext", "hasnextpage", "more", "moreresults"))
_DONE = frozenset(("done", "islast", "last", "islastpage"))
_TOTALS = frozenset(
    f"total{name}" for name in ("", "count", "items", "results", "records", "elements", "rows")
)
_TOTAL_PAGES = frozenset(("totalpages", "pagecount", "lastpage", "numpages", "pagestotal"))


def _says_more(value: object) -> bool | None:
    """Whether there is another page, where a page says so."""
    for item in _said(value, _MORE):
        if isinstance(item, bool):
            return item
    for item in _said(value, _DONE):
        if isinstance(item, bool):
            return not item
    return None


def _is_all(value: object, items: int, pages: int, kind: str) -> bool:
    """Whether the totals of a page say that it is the last of those seen from the first on."""

    def is_reached(names: frozenset[str], count: int) -> bool:
        totals = [item for item in _said(value, names) if type(item) is int and item > 0]
        return bool(totals) and count >= max(totals)

    return is_reached(_TOTALS, items) or (kind == "page" and is_reached(_TOTAL_PAGES, pages))


def _listed(value: object) -> object:
    """A page that came as a stream, as the list of what is in it; all else as it is."""
    return [_bare(item) for item in value] if isinstance(value, _Stream) else value


async def _listed_async(value: object) -> object:
    return [_bare(item) async for item in value] if isinstance(value, _Stream) else value


def _bare(item: object) -> object:
    return item._asdict() if isinstance(item, Event) else item


def _host_page(answer: tuple[str, Any, str | None]) -> _Page:
    """The host's answer to a request for a page."""
    outcome, value, link = answer
    return _host_result((outcome, value)), link


def _host_result(answer: tuple[str, Any]) -> object:
    """The host's answer as a value or an exception."""
    outcome, value = answer
    if outcome == "ok":
        return value
    if outcome == "events":
        events = [Event(**event) for event in value[0]]
        return EventStream[Any](_arrived(events, value[1]), value[1] is not None)
    if outcome == "items":
        return ItemStream[Any](_arrived(value[0], value[1]), value[1] is not None)
    raise _host_error(value)


def _host_error(value: Mapping[str, Any]) -> Exception:
    message = str(value.get("message", ""))
    match value.get("kind"):
        case "argument":
            return TypeError(message)
        case "api":
            return ApiError(value["status"], value.get("body"), value.get("headers"), message)
        case "network":
            return ApiError(0, message=message)
        case "egress" | "limit":
            return EgressError(message)
        case _:
            return RuntimeError(message)


def _arrived(items: list[Any], cut: Mapping[str, Any] | None) -> Iterator[Any]:
    """What the host read of a stream; then the reason why it read no further."""
    yield from items
    if cut is not None:
        raise _host_error(cut)
