import httpx
import json
from urllib.parse import parse_qs


def handler(req: httpx.Request) -> httpx.Response:
    match req.method, req.headers.get("content-type", "").partition(";")[0]:
        case "POST", "application/x-www-form-urlencoded":
            return httpx.Response(200, json=parse_qs(req.content.decode()))
        case "POST", "multipart/form-data":
            return httpx.Response(200, json={"len": len(req.read())})
        case "GET", _:
            return httpx.Response(302, headers={"Location": "/final"}) if req.url.path == "/start" else httpx.Response(200, html="<b>ok</b>")
        case _:
            return httpx.Response(405)


with httpx.Client(transport=httpx.MockTransport(handler), base_url="http://t.invalid", follow_redirects=True, cookies={"sid": "1"}) as c:
    print(c.post("/f", data={"a": "1", "b": ["x", "y"]}).json())
    print(c.post("/m", files={"f": ("a.txt", b"hello", "text/plain")}, data={"k": "v"}).json()["len"] > 50)
    r = c.get("/start")
    print(r.url.path, [h.status_code for h in r.history], r.text, r.headers["content-type"], r.encoding, r.is_success, r.http_version, r.cookies.get("x"))
    req = c.build_request("DELETE", "/x", headers={"X-A": "1"}, params={"q": "ü"})
    print(req.url, c.send(req).status_code, req.headers["cookie"], str(c.base_url), c.timeout.read)
    print(httpx.Response(200, content=json.dumps([1]).encode()).json(), httpx.Response(418).reason_phrase, httpx.codes(200).name)
