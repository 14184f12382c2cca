# secrets: complete.
def _mce_module_secrets():
    import base64

    random = _mce_module("random", _mce_module_random)
    hmac = _mce_module("hmac", _mce_module_hmac)
    generator = random["SystemRandom"]()

    def token_bytes(nbytes=None):
        return _mce_host_random_bytes(32 if nbytes is None else nbytes)

    def token_hex(nbytes=None):
        return token_bytes(nbytes).hex()

    def token_urlsafe(nbytes=None):
        return base64.urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode("ascii")

    def randbelow(exclusive_upper_bound):
        if exclusive_upper_bound <= 0:
            raise ValueError("Upper bound must be positive.")
        return generator.below(exclusive_upper_bound)

    return {
        "DEFAULT_ENTROPY": 32,
        "SystemRandom": random["SystemRandom"],
        "choice": generator.choice,
        "compare_digest": hmac["compare_digest"],
        "randbelow": randbelow,
        "randbits": generator.getrandbits,
        "token_bytes": token_bytes,
        "token_hex": token_hex,
        "token_urlsafe": token_urlsafe,
    }
