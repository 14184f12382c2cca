import httpx


class RetryTransport(httpx.BaseTransport):
    def __init__(self, inner: httpx.BaseTransport, retries: int = 2):
        self._inner, self._retries = inner, retries
        self.attempts = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        for i in range(self._retries + 1):
            self.attempts += 1
            response = self._inner.handle_request(request)
            if response.status_code < 500:
                return response
        return response

    def close(self) -> None:
        self._inner.close()


state = {"n": 0}
def flaky(req):
    state["n"] += 1
    return httpx.Response(503 if state["n"] < 3 else 200, text="fine")


t = RetryTransport(httpx.MockTransport(flaky))
with httpx.Client(transport=t) as c:
    print(c.get("http://x.invalid/").text, t.attempts)
