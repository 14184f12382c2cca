rows = [{"os": "linux", "sys": 1, "eval": 2, "exec": "e", "__class__": "C", "f_back": 1, "open": 1.5, "environ": {}}]
for r in rows:
    print(r["os"], r["sys"], r.get("eval"), r["exec"], r["__class__"], r["f_back"], r["open"])
def call(**kw): return sorted(kw)
print(call(os="a", sys=1, eval=2, input=3, dir=4, open=5, format=6, type=7, id=8, globals=9, obj=1, gen=2, mro=3, environ=4, f_name=5, cr_limit=6))
print(dict(os="x", sys="y", modules=[], codecs=1), "os.system('rm -rf /')", "import os; os.environ", """eval("1+1")""", "__import__('os')", "{x.__class__}")
d = dict(f_code=1); d["gi_frame"] = 2; d |= {"mro": 3}
match rows[0]:
    case {"os": os, "sys": sys, "eval": eval_, **rest}: print(os, sys, eval_, len(rest))
code = "print(open('/etc/passwd').read())\nexec('x')"
print(len(code.splitlines()), code.count("open"), "__globals__" in code)
