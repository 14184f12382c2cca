# colorsys: complete.
def _mce_module_colorsys():
    one_third = 1.0 / 3.0
    one_sixth = 1.0 / 6.0
    two_third = 2.0 / 3.0

    def rgb_to_yiq(r, g, b):
        y = 0.30 * r + 0.59 * g + 0.11 * b
        return (y, 0.74 * (r - y) - 0.27 * (b - y), 0.48 * (r - y) + 0.41 * (b - y))

    def clamp(value):
        if value < 0.0:
            return 0.0
        return 1.0 if value > 1.0 else value

    def yiq_to_rgb(y, i, q):
        r = y + 0.9468822170900693 * i + 0.6235565819861433 * q
        g = y - 0.27478764629897834 * i - 0.6356910791873801 * q
        b = y - 1.1085450346420322 * i + 1.7090069284064666 * q
        return (clamp(r), clamp(g), clamp(b))

    def hue(r, g, b, high, low):
        rc = (high - r) / (high - low)
        gc = (high - g) / (high - low)
        bc = (high - b) / (high - low)
        if r == high:
            h = bc - gc
        elif g == high:
            h = 2.0 + rc - bc
        else:
            h = 4.0 + gc - rc
        return (h / 6.0) % 1.0

    def rgb_to_hls(r, g, b):
        high = max(r, g, b)
        low = min(r, g, b)
        total = high + low
        span = high - low
        lightness = total / 2.0
        if low == high:
            return 0.0, lightness, 0.0
        s = span / total if lightness <= 0.5 else span / (2.0 - high - low)
        return hue(r, g, b, high, low), lightness, s

    def hls_to_rgb(h, l, s):  # noqa: E741
        if s == 0.0:
            return l, l, l
        m2 = l * (1.0 + s) if l <= 0.5 else l + s - (l * s)
        m1 = 2.0 * l - m2
        return (level(m1, m2, h + one_third), level(m1, m2, h), level(m1, m2, h - one_third))

    def level(m1, m2, h):
        h = h % 1.0
        if h < one_sixth:
            return m1 + (m2 - m1) * h * 6.0
        if h < 0.5:
            return m2
        if h < two_third:
            return m1 + (m2 - m1) * (two_third - h) * 6.0
        return m1

    def rgb_to_hsv(r, g, b):
        high = max(r, g, b)
        low = min(r, g, b)
        if low == high:
            return 0.0, 0.0, high
        return hue(r, g, b, high, low), (high - low) / high, high

    def hsv_to_rgb(h, s, v):
        if s == 0.0:
            return v, v, v
        i = int(h * 6.0)
        f = (h * 6.0) - i
        p = v * (1.0 - s)
        q = v * (1.0 - s * f)
        t = v * (1.0 - s * (1.0 - f))
        return [(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][i % 6]

    return {
        "ONE_SIXTH": one_sixth,
        "ONE_THIRD": one_third,
        "TWO_THIRD": two_third,
        "hls_to_rgb": hls_to_rgb,
        "hsv_to_rgb": hsv_to_rgb,
        "rgb_to_hls": rgb_to_hls,
        "rgb_to_hsv": rgb_to_hsv,
        "rgb_to_yiq": rgb_to_yiq,
        "yiq_to_rgb": yiq_to_rgb,
    }
