import datetime as dt
n = 3
tpl = "{} item" if n == 1 else "{} items"
print(tpl.format(n))
if n > 2:
    msg = "many: {n}"
else:
    msg = "few: {n}"
print(msg.format(n=n))
url = "https://api.example.com/users/{user_id}/repos?page={page}"
for page in range(1, 3):
    print(url.format(user_id="ada", page=page))
print(("{:>5}" * 3).format(1, 2, 3), ("-" * 3 + "{}").format("x"), ("a {} "
      "b {}").format(1, 2))
sql = """
SELECT {cols}
FROM t
""".strip().format(cols="a, b")
print(sql)
