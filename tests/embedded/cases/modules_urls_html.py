import html
import random
from urllib.parse import parse_qs, parse_qsl, quote, quote_plus, unquote, unquote_plus, unquote_to_bytes, urldefrag, urlencode, urljoin, urlparse, urlsplit, urlunparse, urlunsplit

urls = ["http://user:pa:ss@Example.COM:8080/p/a;x=1/t;h;k=v?q=1&b=2#frag", "//host/path", "path/only", "/abs?x#y", "mailto:a@b.c", "http://[::1]:80/x", "http://[2001:db8::1%eth0]/", "HTTP://A.b", "http://host", "http://host:/", "", "#f", "?q", "a:b", "1a:b", "http:///x", "file:///etc/x", "http://a b/c d", " http://x ", "ht\ntp://y/z", "tel:+1;x=y", "http://é.com/ü?ñ=1", "x:80/y", "http://u@h", "http://@h", "http://:p@h", "a;b;c", "/a;b/c", "http://h?x/y", "http://h#x?y", "urn:uuid:1"]
for u in urls:
    p = urlparse(u)
    s = urlsplit(u)
    print(repr(u), p, s, p.geturl(), s.geturl(), p.hostname, p.port, p.username, p.password, tuple(p) == tuple(urlparse(u)), urldefrag(u), urlunparse(p), urlunsplit(s))
for u in ["http://[x", "http://[1.2.3.4]/", "http://[zz]/", "http://a]b", "http://[v1.x]/", "http://[v.x]/", "http://\u2100.com"]:
    try:
        print(urlsplit(u).netloc)
    except ValueError as e:
        print(e)
scheme, netloc, path, params, query, fragment = urlparse("https://h/p?x=1")
print(scheme, netloc, path, query, urlparse("https://h/p")._replace(query="a=b", path="/z").geturl(), urlparse("h/p", "ftp").scheme, urlparse("a#b", allow_fragments=False), urlsplit("http://h/p")._asdict(), urlparse("http://h") == urlparse("http://h"), urlunparse(["http", "h", "p", "", "", ""]))
base = "http://a/b/c/d;p?q"
for ref in ["g:h", "g", "./g", "g/", "/g", "//g", "?y", "g?y", "#s", "g#s", "g?y#s", ";x", "g;x", "", ".", "./", "..", "../", "../g", "../..", "../../", "../../g", "../../../g", "/./g", "/../g", "g.", ".g", "./../g", "g/./h", "g/../h", "http:g", "http://z", "a//b", "//h/../x", "?", "#"]:
    print(ref, urljoin(base, ref), urljoin("http://a", ref), urljoin("a/b", ref), urljoin("file:///x/y", ref), urljoin("mailto:x", ref))
print(urljoin("", "x"), urljoin("http://a/b/", "c"), urljoin("http://a/b/c/", "../d"), urljoin("https://api.x.com/v1/", "users/5?x=y"))
for s in ["", "a b/c?d=e&f", "é/ü", "~-._", "100%", "a+b", "\U0001f600", "%20", "<>\"'", "\x00\x7f"]:
    print(repr(quote(s)), quote(s, safe=""), quote_plus(s), quote_plus(s, safe="/"), repr(unquote(quote(s))), repr(unquote_plus(quote_plus(s))), unquote_to_bytes(quote(s)), quote(s.encode()))
for s in ["%41%zz%4", "%c3%a9", "%ff", "é%c3", "a+b%2B", "%", "%%", "%e2%82", "é%c3é%a9"]:
    print(repr(unquote(s)), repr(unquote_plus(s)), unquote_to_bytes(s))
print(urlencode({"a": 1, "b c": "d&e", "é": None, "l": [1, 2]}), urlencode({"l": [1, 2], "s": "xy", "t": ("p", "q"), "n": 5, "e": []}, doseq=True), urlencode([("a", 1), ("a", 2)]), urlencode({"x": "a/b c"}, safe="/"), urlencode({"x": "a b"}, quote_via=quote), urlencode({}), urlencode({"b": b"x y"}))
print(parse_qs("a=1&a=2&b=&c&d=x%20y+z&=e"), parse_qs("a=1&b=&c", keep_blank_values=True), parse_qsl("a=1&b=2;c=3"), parse_qsl("a=1;b=2", separator=";"), parse_qs(""), parse_qsl("a=%C3%A9&%62=1"))
for f in [lambda: urlencode(5), lambda: urlencode("abc"), lambda: parse_qsl("a", strict_parsing=True), lambda: quote(5), lambda: parse_qsl("a=1&b=2", max_num_fields=1), lambda: urlencode([1])]:
    try:
        print(f())
    except (TypeError, ValueError) as e:
        print(type(e).__name__, e)
r = random.Random(3)
for _ in range(300):
    u = "".join(r.choice("ab:/?#;@[]%.=&+1 é") for _ in range(r.randrange(18)))
    try:
        p = urlparse(u)
        print(repr(u), tuple(p), p.geturl(), p.hostname, p.username)
        print(urljoin("http://h/x/y?z", u), quote(u), unquote(u), parse_qsl(u))
    except ValueError as e:
        print(repr(u), e)
print(html.escape("<a href=\"x\">'&'</a>"), html.escape("\"'", quote=False))
for s in ["&amp;&lt;&gt;&quot;&#39;&#x27;", "&eacute;&Eacute;&euro;", "&amp", "&ampx;", "&notit;", "&notin;", "&#65", "&#65x", "&#x;", "&#;", "&", "&&amp;", "&x", "&unknown;", "&#0;", "&#128;", "&#x110000;", "&#xd800;", "&#1;", "&#xfffe;", "&copy2024", "&nbsp;|", "&NotEqualTilde;", "&bne;", "a & b", "&#X41;", "&Aacute", "&lt&gt", "&" + "a" * 40 + ";", "&acE;", "&#99999999999;", "plain"]:
    print(repr(s), ascii(html.unescape(s)))
for _ in range(300):
    s = "".join(r.choice(["&", "#", "x", "am", "p", ";", "lt", "6", "5", "not", "in", " ", "<", "e", "acute", "copy"]) for _ in range(r.randrange(12)))
    print(repr(s), ascii(html.unescape(s)))
