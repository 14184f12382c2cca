s = "  The quick, brown fox; jumps!  "
print(s.strip().lower().split(), s.title(), s.swapcase(), s.count("o"), s.find("fox"), s.index("q"), s.rfind("x"), s.replace(",", ""), s.isspace())
print("a,b,,c".split(","), "a b c".rsplit(maxsplit=1), "k: v: w".partition(": "), "x.y.z".rpartition("."), "l1\nl2\r\nl3".splitlines(), "-".join("abc"))
print("7".rjust(3, "0"), "x".ljust(3) + "|", "mid".center(9, "="), "-5".zfill(4), "abc".startswith(("a", "b")), "f.py".endswith(".py"), "ab"[::-1], "ab" * 2, "b" in "abc")
print("x1".isalnum(), "12".isdigit(), "ab".isalpha(), "Ab".istitle(), "_a".isidentifier(), "é".isascii(), "abc".encode().hex(), "tést".encode("ascii", "ignore"))
print("prefix-x".removeprefix("prefix-"), "x.txt".removesuffix(".txt"), "hello".translate(str.maketrans({"h": "J", "o": None})), "hello".translate(str.maketrans("el", "ip")), "%s" % ("t",), "a\\n", r"\d", b"\x00ab", "tab\there", "\u20ac \N{BULLET}")
vowels = sum(c in "aeiou" for c in s); words = [w.strip(",;!") for w in s.split()]
print(vowels, max(words, key=len), " ".join(w[0].upper() + w[1:] for w in words), "".join(c for c in s if c.isalpha())[:5], sorted(set(s.lower()) - set(" ,;!"))[:3])
