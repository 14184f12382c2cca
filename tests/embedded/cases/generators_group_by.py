def group(rows, key):
    current = None
    bucket = []
    for r in rows:
        k = r[key]
        if bucket and k != current:
            yield current, bucket
            bucket = []
        current = k
        bucket.append(r)
    if bucket:
        yield current, bucket
rows = [{"c": "a", "n": 1}, {"c": "a", "n": 2}, {"c": "b", "n": 3}]
for k, rs in group(rows, "c"):
    print(k, sum(r["n"] for r in rs))
