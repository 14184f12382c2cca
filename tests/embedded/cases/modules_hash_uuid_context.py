import contextlib
import hashlib
import hmac
import secrets
import uuid
import zlib
from contextlib import ExitStack, closing, nullcontext, suppress

for name in ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"]:
    h = getattr(hashlib, name)(b"hello")
    h.update(b" world")
    c = h.copy()
    c.update(b"!")
    print(name, h.hexdigest(), h.digest()[:4], h.digest_size, h.block_size, h.name, c.hexdigest() != h.hexdigest(), hashlib.new(name, b"x").hexdigest())
print(hashlib.sha256().hexdigest(), hashlib.new("SHA256", b"a").hexdigest(), sorted(hashlib.algorithms_guaranteed))
for f in [lambda: hashlib.sha256("text"), lambda: hashlib.md5(5), lambda: hashlib.new("nope"), lambda: hmac.new("k", b"m", "sha1"), lambda: hmac.new(b"k", b"m"), lambda: hmac.compare_digest("é", "a"), lambda: hmac.compare_digest("a", b"a")]:
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
m = hmac.new(b"key", b"message", hashlib.sha256)
m.update(b" more")
print(m.hexdigest(), m.name, m.digest_size, m.block_size, hmac.new(b"k" * 200, b"m", "md5").hexdigest(), hmac.digest(b"k", b"m", "sha512").hex(), hmac.compare_digest("a", "a"), hmac.compare_digest(b"a", b"b"))
print(zlib.crc32(b"hello"), zlib.crc32(b" world", zlib.crc32(b"hello")), zlib.adler32(b"hello" * 100), zlib.adler32(b"", 5), zlib.crc32(b""))
u = uuid.UUID("12345678-1234-5678-1234-567812345678")
print(u, repr(u), u.hex, u.int, u.bytes, u.bytes_le, u.fields, u.version, u.variant, u.urn, u.time_low, u.node, u == uuid.UUID(int=u.int), u == uuid.UUID(bytes=u.bytes), u == uuid.UUID(bytes_le=u.bytes_le), u == uuid.UUID(fields=u.fields), hash(u) == hash(u.int), u == 5)
print(uuid.uuid5(uuid.NAMESPACE_DNS, "python.org"), uuid.uuid3(uuid.NAMESPACE_URL, "http://x"), uuid.UUID("{12345678123456781234567812345678}"), uuid.uuid5(uuid.NAMESPACE_DNS, "é").version, uuid.uuid4().version, uuid.uuid4() != uuid.uuid4(), len(str(uuid.uuid4())), uuid.uuid4().variant)
for f in [lambda: uuid.UUID("x"), lambda: uuid.UUID(), lambda: uuid.UUID(int=-1), lambda: uuid.UUID("g" * 32), lambda: uuid.UUID(bytes=b"1"), lambda: uuid.UUID("a" * 32, version=9)]:
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
print(len(secrets.token_hex(8)), len(secrets.token_bytes(5)), len(secrets.token_urlsafe(9)), secrets.choice([1]), 0 <= secrets.randbelow(5) < 5, secrets.randbits(4) < 16, secrets.compare_digest("a", "b"))
with suppress(KeyError, ValueError):
    raise ValueError("x")
print("suppressed")
try:
    with suppress(KeyError):
        raise ValueError("through")
except ValueError as e:
    print(e)
with nullcontext(5) as five, nullcontext() as none:
    print(five, none)


class Res:
    def __init__(self, name, swallow=False):
        self.name = name
        self.swallow = swallow

    def close(self):
        print("close", self.name)

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, t, v, tb):
        print("exit", self.name, t.__name__ if t else None, v)
        return self.swallow


with closing(Res("c")) as c:
    print(c.name)
with ExitStack() as stack:
    a = stack.enter_context(Res("a"))
    b = stack.enter_context(Res("b"))
    stack.callback(print, "callback", 1, sep="-")
    print(a.name, b.name)
with ExitStack() as stack:
    stack.enter_context(Res("outer"))
    stack.enter_context(Res("inner", True))
    raise KeyError("k")
try:
    with ExitStack() as stack:
        stack.enter_context(Res("z"))
        raise KeyError("kk")
except KeyError as e:
    print("propagated", e)
with ExitStack() as stack:
    stack.enter_context(Res("kept"))
    kept = stack.pop_all()
print("after")
kept.close()
try:
    ExitStack().enter_context(5)
except TypeError as e:
    print(e)
