def wrap(text, width):
    line, out = "", []
    for word in text.split():
        if line and len(line) + 1 + len(word) > width: out.append(line); line = word
        else: line = f"{line} {word}".strip()
    return out + [line] if line else out
def is_palindrome(s): t = [c.lower() for c in s if c.isalnum()]; return t == t[::-1]
def lcs(a, b):
    dp = [[""] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b): dp[i + 1][j + 1] = dp[i][j] + x if x == y else max(dp[i][j + 1], dp[i + 1][j], key=len)
    return dp[-1][-1]
def lev(a, b):
    prev = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        cur = [i]
        for j, y in enumerate(b, 1): cur.append(min(prev[j] + 1, cur[-1] + 1, prev[j - 1] + (x != y)))
        prev = cur
    return prev[-1]
def compress(s): from itertools import groupby; return "".join(f"{k}{n}" if (n := len(list(g))) > 1 else k for k, g in groupby(s))
print(wrap("the quick brown fox", 9), is_palindrome("A man, a plan: Panama"), lcs("kitten", "sitting"), lev("kitten", "sitting"), compress("aaabcc"), "".join(map(chr, range(97, 102))), *("{:^9}".format(s) for s in ("a", "bb")), sep="|")
