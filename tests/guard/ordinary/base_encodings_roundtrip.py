import base64, binascii, json, zlib, uuid, secrets, string
CODECS = {"b16": (base64.b16encode, base64.b16decode), "b32": (base64.b32encode, base64.b32decode), "b64": (base64.b64encode, base64.b64decode), "b85": (base64.b85encode, base64.b85decode), "url": (base64.urlsafe_b64encode, base64.urlsafe_b64decode), "a85": (base64.a85encode, base64.a85decode)}
data = bytes(range(10))
for name, (enc, dec) in CODECS.items(): print(f"{name} {enc(data).decode('ascii'):<20} {dec(enc(data)) == data}")
def pack(obj) -> str: return base64.urlsafe_b64encode(zlib.compress(json.dumps(obj).encode(), level=9)).decode().rstrip("=")
def unpack(s: str): return json.loads(zlib.decompress(base64.urlsafe_b64decode(s + "=" * (-len(s) % 4))))
print(unpack(pack({"a": [1, "é"]})), binascii.b2a_base64(b"x", newline=False), binascii.unhexlify("ff"), zlib.adler32(b"a"), uuid.UUID("12345678123456781234567812345678").fields[0], uuid.NAMESPACE_DNS.hex[:6], uuid.uuid3(uuid.NAMESPACE_OID, "1.2").version, len(secrets.token_urlsafe(9)), secrets.randbelow(1), "".join(sorted(string.hexdigits))[:3])
ALPH = string.digits + string.ascii_uppercase + string.ascii_lowercase
def b62(n): return (b62(n // 62) if n >= 62 else "") + ALPH[n % 62]
print(b62(uuid.UUID(int=10**12).int))
