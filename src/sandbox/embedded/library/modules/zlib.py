# zlib: checksums only; left out is compression.
def _mce_module_zlib():
    def check(data):
        if type(data) is not bytes:
            raise TypeError(f"a bytes-like object is required, not '{type(data).__name__}'")

    def crc32(data, value=0, /):
        check(data)
        return _mce_host_crc32(data, value & 4294967295)

    def adler32(data, value=1, /):
        check(data)
        low = value & 65535
        high = (value >> 16) & 65535
        for byte in data:
            low += byte
            high += low
            if high > 4503599627370496:
                low %= 65521
                high %= 65521
        return (high % 65521) << 16 | low % 65521

    return {"adler32": adler32, "crc32": crc32}
