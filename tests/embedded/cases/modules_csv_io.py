import csv
import io
import random

out = io.StringIO()
w = csv.writer(out)
print(w.writerow(["a", 1, 2.5, None, True, 'say "hi"', "x,y", "line\nbreak", ""]), w.writerow([]), w.writerow([""]), w.writerow(["a b", " lead"]))
w.writerows([[1, 2], (3, "é")])
print(repr(out.getvalue()))
for kw in [{"quoting": csv.QUOTE_ALL}, {"quoting": csv.QUOTE_NONNUMERIC}, {"delimiter": ";"}, {"delimiter": "\t", "lineterminator": "\n"}, {"quotechar": "'"}, {"quoting": csv.QUOTE_NONE, "escapechar": "\\"}, {"doublequote": False, "escapechar": "\\"}, {"dialect": "excel-tab"}, {"dialect": "unix"}, {"quoting": csv.QUOTE_STRINGS}, {"quoting": csv.QUOTE_NOTNULL}]:
    out = io.StringIO()
    w = csv.writer(out, **kw)
    w.writerow(["a", 1, 2.5, None, 'q"u', "it's", "x,y;z\tw", "back\\slash", "nl\n", "cr\r"])
    print(kw, repr(out.getvalue()))
    try:
        print(list(csv.reader(io.StringIO(out.getvalue(), newline=""), **kw)) if kw.get("quoting", 0) < 4 and kw.get("quoting") != 2 else "-")
    except ValueError as e:
        print(e)
data = 'name,age,note\r\nAnn,30,"x, ""quoted"""\r\n\r\nBob,25\r\nCid,40,a,b,c\n"multi\nline",1,z\n'
print(list(csv.reader(data.splitlines(True))), list(csv.reader(io.StringIO(data))))
for row in csv.DictReader(io.StringIO(data)):
    print(row)
for row in csv.DictReader(io.StringIO(data), fieldnames=["x", "y"], restkey="rest", restval="none"):
    print(row)
r = csv.DictReader(["a;b", "1;2"], delimiter=";")
print(r.fieldnames, list(r), r.line_num, list(csv.DictReader([])), csv.DictReader([]).fieldnames)
out = io.StringIO()
w = csv.DictWriter(out, fieldnames=["b", "a"], restval="?", extrasaction="ignore")
w.writeheader()
w.writerow({"a": 1, "b": 2, "c": 3})
w.writerows([{"a": 5}, {}])
print(out.getvalue())
try:
    csv.DictWriter(out, ["a"]).writerow({"z": 1})
except ValueError as e:
    print(e)
for text in ['a,"b', 'a"b,c', '"a"b,c', '"a""b"', '""', ' "a", b', ",", "a,", "a\\,b,c", "'a,b',c", "", "x\n\ny", '"a,b"\n', "a\r\nb", '"x\r\ny",z', '1,"2",3.5']:
    for kw in [{}, {"skipinitialspace": True}, {"escapechar": "\\"}, {"quotechar": "'"}, {"quoting": csv.QUOTE_NONE}, {"doublequote": False}]:
        print(repr(text), kw, list(csv.reader(io.StringIO(text), **kw)))
print(list(csv.reader(['1,"a",2.5'], quoting=csv.QUOTE_NONNUMERIC)))
rnd = random.Random(2)
for _ in range(300):
    rows = [["".join(rnd.choice('ab,"\n\r \';x') for _ in range(rnd.randrange(6))) for _ in range(rnd.randrange(1, 4))] for _ in range(3)]
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    print(repr(out.getvalue()), list(csv.reader(io.StringIO(out.getvalue(), newline=""))) == rows)
for f in [lambda: csv.reader([], delimiter="ab"), lambda: csv.writer(5), lambda: csv.reader([], quotechar=5), lambda: csv.reader(5), lambda: csv.writer(out, delimiter=None) if False else csv.reader([], delimiter=""), lambda: csv.writer(out, quoting=9)]:
    try:
        print(f())
    except TypeError as e:
        print(e)
s = io.StringIO("one\ntwo\nthree")
print(s.readline(), s.read(2), s.tell(), s.readlines(), s.read(), s.seek(0), s.read(3), list(s), s.seek(0, 2), s.write("!"), s.getvalue())
s.seek(1)
s.write("XY")
print(s.getvalue(), s.tell(), s.truncate(), s.getvalue(), s.readable(), s.closed)
s.seek(6)
s.write("z")
print(repr(s.getvalue()))
with io.StringIO() as t:
    print("to", "file", 5, sep="-", end="!", file=t)
    t.writelines(["a", "b"])
    print(t.getvalue())
for f in [lambda: t.getvalue(), lambda: t.write("x"), lambda: io.StringIO(5), lambda: io.StringIO().write(5), lambda: s.seek(-1)]:
    try:
        f()
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)
b = io.BytesIO(b"ab\ncd")
print(b.read(1), b.readline(), b.read(), b.seek(0), b.write(b"XY"), b.getvalue(), list(io.BytesIO(b"1\n2")), b.seek(-1, 2), b.read(), b.tell())
for line in io.StringIO("a\nb\n\nc"):
    print(repr(line), end=" ")
print(io.StringIO("a\rb\r\nc", newline="").readlines(), io.StringIO("a\rb\r\nc").readlines())
