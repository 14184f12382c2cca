import gzip, bz2, lzma, zlib
from io import BytesIO, StringIO
data = b"hello world " * 30


def ratios(raw: bytes) -> dict[str, float]:
    """Compression ratio per algorithm."""
    algos = {"gzip": gzip.compress, "bz2": bz2.compress, "lzma": lzma.compress, "zlib": zlib.compress}
    return {name: round(len(fn(raw)) / len(raw), 2) for name, fn in algos.items()}


print(ratios(data))
buf = BytesIO()
for chunk in (data[:10], data[10:20]):
    buf.write(chunk)
buf.seek(0)
print(buf.read(5), buf.tell(), buf.getbuffer().nbytes, buf.readline())
s = StringIO("a\nb\nc")
print([line.rstrip("\n") for line in s], s.closed, s.seekable())
with StringIO() as out:
    print("x", 1, sep=",", end=";", file=out, flush=True)
    out.writelines(["p", "q"])
    print(out.getvalue())
assert gzip.decompress(gzip.compress(data, compresslevel=1)) == data
