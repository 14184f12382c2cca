from array import array
import array as arr

samples = array("h", [0, 100, -100, 32767])
samples.append(5); samples.extend([1, 2]); samples.byteswap(); samples.byteswap()
print(samples.typecode, samples.itemsize, samples.tolist(), samples.tobytes()[:4], samples.index(100), samples.buffer_info()[1])
b = bytearray(b"hello")
b[0:1] = b"J"; b += b"!"; b.extend(b"??"); del b[-1]
print(b, b.find(b"l"), bytes(b).hex(" "), bytes.fromhex("ff 00"), b.decode("ascii"), b"a,b".split(b","), b"%d-%s" % (3, b"x"))
print("é".encode("utf-8"), b"\xff".decode("latin-1"), b"\xff\xfe".decode("utf-8", errors="replace"), "naïve".encode("ascii", "xmlcharrefreplace"))


def rle(data: bytes) -> bytes:
    out = bytearray()
    i = 0
    while i < len(data):
        j = i
        while j < len(data) and data[j] == data[i] and j - i < 255:
            j += 1
        out += bytes((j - i, data[i]))
        i = j
    return bytes(out)


enc = rle(b"aaabccc")
print(enc, b"".join(bytes([v]) * n for n, v in zip(enc[::2], enc[1::2])))
f = arr.array("d", (x / 2 for x in range(4)))
f.frombytes(f.tobytes()); print(sum(f), f[1:3], max(f), arr.typecodes)
