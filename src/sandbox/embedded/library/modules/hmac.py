# hmac: complete for digests given by name or as a function of hashlib.
def _mce_module_hmac():
    hashlib = _mce_module("hashlib", _mce_module_hashlib)

    def digest_name(digestmod):
        if type(digestmod) is str:
            return hashlib["new"](digestmod).name
        if _mce_callable(digestmod):
            return digestmod(b"").name
        raise TypeError("Missing required argument 'digestmod'.")

    def check_key(key):
        if type(key) is not bytes:
            raise TypeError(f"key: expected bytes or bytearray, but got {type(key).__name__!r}")

    class HMAC:
        def __init__(self, key, msg=None, digestmod=""):
            check_key(key)
            if not digestmod:
                raise TypeError("Missing required argument 'digestmod'.")
            self.key = key
            self.hash_name = digest_name(digestmod)
            empty = hashlib["new"](self.hash_name)
            self.name = "hmac-" + self.hash_name
            self.digest_size = empty.digest_size
            self.block_size = empty.block_size
            self.parts = []
            if msg is not None:
                self.update(msg)

        def update(self, msg):
            if type(msg) is str:
                raise TypeError("Strings must be encoded before hashing")
            if type(msg) is not bytes:
                raise TypeError("object supporting the buffer API required")
            self.parts.append(msg)

        def digest(self):
            self.parts = [b"".join(self.parts)]
            return _mce_host_hmac(self.hash_name, self.key, self.parts[0])

        def hexdigest(self):
            return self.digest().hex()

        def copy(self):
            return HMAC(self.key, b"".join(self.parts), self.hash_name)

    def new(key, msg=None, digestmod=""):
        return HMAC(key, msg, digestmod)

    def digest(key, msg, digest):
        return HMAC(key, msg, digest).digest()

    def compare_digest(a, b, /):
        if type(a) is str and type(b) is str:
            if not (a.isascii() and b.isascii()):
                raise TypeError("comparing strings with non-ASCII characters is not supported")
            return a == b
        if (type(a) is bytes) != (type(b) is bytes):
            raise TypeError(f"a bytes-like object is required, not '{type(b if type(a) is bytes else a).__name__}'")
        if type(a) is not bytes:
            raise TypeError(
                "unsupported operand types(s) or combination of types: "
                f"'{type(a).__name__}' and '{type(b).__name__}'"
            )
        return a == b

    return {"HMAC": HMAC, "compare_digest": compare_digest, "digest": digest, "new": new}
