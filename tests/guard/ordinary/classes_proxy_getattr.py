class Recorder:
    """Record attribute chains, like a tiny query builder."""
    def __init__(self, path=()): self._path = path
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Recorder((*self._path, name))
    def __call__(self, **params): return "/".join(self._path) + ("?" + "&".join(f"{k}={v}" for k, v in sorted(params.items())) if params else "")
    def __getitem__(self, key): return Recorder((*self._path, str(key)))
    def __repr__(self): return f"Recorder({'.'.join(self._path)})"


api = Recorder()
print(api.users[3].repos(page=2), api.a.b, api.orders())
