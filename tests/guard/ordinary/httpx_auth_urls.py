import httpx


class BearerAuth(httpx.Auth):
    requires_response_body = True

    def __init__(self, token: str) -> None:
        self.token = token

    def auth_flow(self, request: httpx.Request):
        request.headers["Authorization"] = f"Bearer {self.token}"
        response = yield request
        if response.status_code == 401:
            self.token = "fresh"
            request.headers["Authorization"] = f"Bearer {self.token}"
            yield request


def app(request):
    ok = request.headers.get("authorization") == "Bearer fresh"
    return httpx.Response(200 if ok else 401, json={"ok": ok})


client = httpx.Client(transport=httpx.MockTransport(app), auth=BearerAuth("stale"))
print(client.get("https://x.invalid/").json())
u = httpx.URL("https://user:pw@example.com:8443/a/b?x=1&y=2#frag")
print(u.scheme, u.host, u.port, u.path, dict(u.params), u.fragment, u.copy_with(path="/c"), u.copy_merge_params({"z": "3"}))
q = httpx.QueryParams({"tag": ["a", "b"], "n": 1}).add("tag", "c")
print(str(q), q.get_list("tag"), httpx.codes.NOT_FOUND, httpx.codes.is_error(500))
h = httpx.Headers([("Set-Cookie", "a=1"), ("set-cookie", "b=2")])
print(h.get_list("set-cookie"), "SET-COOKIE" in h)
req = httpx.Request("PUT", u, content=b"data", headers={"content-type": "text/plain"})
print(req.method, req.headers["content-length"], req.read())
print(httpx.Limits(max_connections=5), httpx.BasicAuth("u", "p") is not None)
client.close()
