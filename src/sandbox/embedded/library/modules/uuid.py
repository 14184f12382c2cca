# uuid: left out are uuid1, getnode, SafeUUID and ordering.
def _mce_module_uuid():
    variants = ["reserved for NCS compatibility", "specified in RFC 4122", "reserved for Microsoft compatibility"]

    class UUID:
        def __init__(self, hex=None, bytes=None, bytes_le=None, fields=None, int=None, version=None):
            given = [value for value in (hex, bytes, bytes_le, fields, int) if value is not None]
            if len(given) != 1:
                raise TypeError("one of the hex, bytes, bytes_le, fields, or int arguments must be given")
            number = int
            if hex is not None:
                text = hex.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "")
                if len(text) != 32:
                    raise ValueError("badly formed hexadecimal UUID string")
                number = parse_hex(text)
            if bytes_le is not None:
                if len(bytes_le) != 16:
                    raise ValueError("bytes_le is not a 16-char string")
                bytes = bytes_le[3::-1] + bytes_le[5:3:-1] + bytes_le[7:5:-1] + bytes_le[8:]
            if bytes is not None:
                if len(bytes) != 16:
                    raise ValueError("bytes is not a 16-char string")
                number = parse_hex(bytes.hex())
            if fields is not None:
                if len(fields) != 6:
                    raise ValueError("fields is not a 6-tuple")
                limits = (32, 16, 16, 8, 8, 48)
                number = 0
                for i in range(6):
                    if not 0 <= fields[i] < 1 << limits[i]:
                        raise ValueError(f"field {i + 1} out of range (need a {limits[i]}-bit value)")
                    number = number << limits[i] | fields[i]
            if not 0 <= number < 1 << 128:
                raise ValueError("int is out of range (need a 128-bit value)")
            if version is not None:
                if not 1 <= version <= 5:
                    raise ValueError("illegal version number")
                number &= ~(49152 << 48)
                number |= 32768 << 48
                number &= ~(61440 << 64)
                number |= version << 76
            self.int = number
            text = f"{number:032x}"
            self.hex = text
            self.bytes = to_bytes(text)
            self.bytes_le = self.bytes[3::-1] + self.bytes[5:3:-1] + self.bytes[7:5:-1] + self.bytes[8:]
            self.time_low = number >> 96
            self.time_mid = (number >> 80) & 65535
            self.time_hi_version = (number >> 64) & 65535
            self.clock_seq_hi_variant = (number >> 56) & 255
            self.clock_seq_low = (number >> 48) & 255
            self.node = number & 281474976710655
            self.clock_seq = (self.clock_seq_hi_variant & 63) << 8 | self.clock_seq_low
            self.time = (self.time_hi_version & 4095) << 48 | self.time_mid << 32 | self.time_low
            self.fields = (
                self.time_low,
                self.time_mid,
                self.time_hi_version,
                self.clock_seq_hi_variant,
                self.clock_seq_low,
                self.node,
            )
            self.urn = "urn:uuid:" + str(self)
            if not number & (32768 << 48):
                self.variant = variants[0]
            elif not number & (16384 << 48):
                self.variant = variants[1]
            elif not number & (8192 << 48):
                self.variant = variants[2]
            else:
                self.variant = "reserved for future definition"
            self.version = (number >> 76) & 15 if self.variant == variants[1] else None

        def __str__(self):
            text = self.hex
            return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

        def __repr__(self):
            return f"UUID({str(self)!r})"

        def __eq__(self, other):
            return isinstance(other, UUID) and self.int == other.int

        def __hash__(self):
            return hash(self.int)

    def parse_hex(text):
        # `int` and `bytes` are parameters of `UUID`, so it takes the builtins from here.
        return int(text, 16)

    def to_bytes(text):
        return bytes.fromhex(text)

    def uuid4():
        return UUID(bytes=_mce_host_random_bytes(16), version=4)

    def named(namespace, name, digest, version):
        if type(name) is str:
            name = name.encode()
        return UUID(bytes=_mce_host_digest(digest, namespace.bytes + name)[:16], version=version)

    def uuid3(namespace, name):
        return named(namespace, name, "md5", 3)

    def uuid5(namespace, name):
        return named(namespace, name, "sha1", 5)

    return {
        "NAMESPACE_DNS": UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8"),
        "NAMESPACE_OID": UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8"),
        "NAMESPACE_URL": UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8"),
        "NAMESPACE_X500": UUID("6ba7b814-9dad-11d1-80b4-00c04fd430c8"),
        "RESERVED_FUTURE": "reserved for future definition",
        "RESERVED_MICROSOFT": variants[2],
        "RESERVED_NCS": variants[0],
        "RFC_4122": variants[1],
        "UUID": UUID,
        "uuid3": uuid3,
        "uuid4": uuid4,
        "uuid5": uuid5,
    }
