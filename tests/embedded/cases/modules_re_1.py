import re


def show(f, *args, **kw):
    try:
        r = f(*args, **kw)
        if isinstance(r, re.Match):
            r = (r.span(), r.group(), r.groups(), r.groupdict(), [r.span(i) for i in range(len(r.groups()) + 1)])
        print(r)
    except (re.error, IndexError, TypeError, ValueError, OverflowError) as e:
        print(type(e).__name__ if not isinstance(e, re.error) else "error", e)


patterns = [
    "a", "a*", "a+b", "(a)(b)?", "x*", "[abc]+", "[^abc]", "[]a]", "[^]a]", "[a-c-e]", "[\\w.-]+", "[\\d\\s]", "[\\D]", "[^\\W_]+", "a|b", "ab|a", "(?:a|b)+", "(?P<x>a)(?P=x)", "(a)\\1",
    "^a", "a$", "\\Aa", "a\\Z", "\\bfoo\\b", "\\Bo", ".", ".*", "a.b", "(?s)a.b", "(?m)^\\w+$", "(?i)ABC", "(?x) a b # comment\n c", "a{2}", "a{2,}", "a{,2}", "a{1,2}?", "a{", "a{x}", "{", "a{,}", "a{}", "}", "]",
    "(?=a)", "(?!a)b", "(?<=a)b", "(?<!a)b", "(?<=ab|cd)e", "(a(b(c)))", "(a)|(b)", "((a)|b)*", "(?:(a)|b)*", "(?i:a)b", "(?-i:a)", "(?#comment)a", "(?>a+)b", "a++", "a*+a", "(a)?(?(1)b|c)",
    "\\d+", "\\D+", "\\s+", "\\S+", "\\w+", "\\W+", "\\n", "\\t", "\\x41", "\\u0041", "\\101", "\\0", "\\.", "\\\\", "\\-", "[\\]]", "[\\b]", "[a\\-z]", "[&&]", "[a&&b]", "[[]", "[~~]", "é+", "[à-ü]", "(?a)\\w+",
    "\\N{DIGIT ONE}", "a#b", "a b", "(?s:.)", "(?m:^)a", "[+--]", "[.]", "\\$", "\\^a", "a\\b", "(\\d+)-(\\d+)", "(?P<year>\\d{4})-(?P<m>\\d\\d)", "\"[^\"]*\"", "<(\\w+)>.*?</\\1>", "(?:)", "", "()", "a|", "(a*)(b*)",
    "(", ")", "[", "[a", "*a", "a**", "a*?+", "+", "?", "a{2}{3}", "(?", "(?P", "(?P<", "(?P<a", "(?P<1>a)", "(?P<a>b)(?P<a>c)", "(?P=x)", "\\1", "(\\1)", "\\q", "\\", "[\\q]", "[z-a]", "[\\w-a]", "a(?i)b", "(?z)", "(?i", "(?<a", "(?<=a*)b", "(?<=a|bc)d", "\\x4", "\\u12", "(?(1)a)", "(?(x)a)", "a{3,2}", "(a))", "(?P>x)", "(?i-i:a)", "\\8", "(a)\\2", "a\nb(", "^*", "$+", "\\b*", "(?au:a)", "(?-a:b)", "\\400", "(?P<a b>c)", "(?=a)*b", "(?:a", "(?#", "\\Z\\A", "x{99999999999}", "\\377",
]
texts = ["", "a", "ab", "aab", "abc", "foo bar", "a\nb", "a\n", "AbC", "  x1 22-333\t", "ba", "cde", "é_ü٣ à", "2024-05-06", "<b>x</b>", "a{}[]&&~~-.", "aaa", "b", "\"q\" b", "foo.boo\nfoo", "\x1c\x85\u00a0|\u200b", "line1\nline2\n", "aaab abab"]
for p in patterns:
    print("==", p)
    try:
        c = re.compile(p)
    except (re.error, OverflowError) as e:
        print("error", e)
        continue
    print(c, c.flags, c.groups, dict(c.groupindex))
    for t in texts:
        try:
            print(ascii(t), end=" ")
            show(c.search, t)
            show(c.match, t)
            show(c.fullmatch, t)
        except NotImplementedError as e:
            print("unsupported")
