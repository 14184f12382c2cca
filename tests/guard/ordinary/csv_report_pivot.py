import csv
import io
from collections import defaultdict
from statistics import mean
RAW = "region,month,sales\nEU,Jan,10\nEU,Feb,20\nUS,Jan,7\nUS,Feb,\n"
rows = [{**r, "sales": float(r["sales"] or 0)} for r in csv.DictReader(io.StringIO(RAW))]
months = list(dict.fromkeys(r["month"] for r in rows))
pivot: dict[str, dict[str, float]] = defaultdict(lambda: dict.fromkeys(months, 0.0))
for r in rows:
    pivot[r["region"]][r["month"]] += r["sales"]
out = io.StringIO(newline="")
w = csv.writer(out, delimiter="\t")
w.writerow(["region", *months, "mean"])
for region, cells in sorted(pivot.items()):
    w.writerow([region, *(cells[m] for m in months), f"{mean(cells.values()):.1f}"])
print(out.getvalue().expandtabs(8))
reader = csv.reader(io.StringIO(RAW)); header = next(reader); print(header, reader.line_num)
