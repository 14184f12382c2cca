TEMPLATES = ["Hello {name}", "Goodbye {name}", "{name} has {n} items"]
for t in TEMPLATES:
    print(t.format(name="Ada", n=3))
print([t.format(name="Bob", n=1) for t in TEMPLATES])
LANG = {"en": {"hi": "Hello {who}"}, "de": {"hi": "Hallo {who}"}}
for lang in LANG:
    print(LANG[lang]["hi"].format(who="x"))
for key, tpl in {"a": "A={v}", "b": "B={v}"}.items():
    print(key, tpl.format(v=1))
