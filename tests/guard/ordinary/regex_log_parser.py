import re
from collections import Counter, defaultdict
from datetime import datetime

LOG = '''127.0.0.1 - - [10/Oct/2025:13:55:36 +0000] "GET /index.html HTTP/1.1" 200 2326
10.0.0.5 - bob [10/Oct/2025:13:56:01 +0000] "POST /api/login HTTP/1.1" 401 52
10.0.0.5 - bob [10/Oct/2025:13:56:09 +0000] "POST /api/login HTTP/1.1" 200 980
garbage line'''
LINE = re.compile(r'''
    (?P<ip>\S+)\ \S+\ (?P<user>\S+)\ \[(?P<ts>[^\]]+)\]\ 
    "(?P<method>[A-Z]+)\ (?P<path>\S+)\ [^"]*"\ (?P<status>\d{3})\ (?P<size>\d+|-)
''', re.VERBOSE)

by_status: Counter[str] = Counter()
sizes: dict[str, int] = defaultdict(int)
for n, raw in enumerate(LOG.splitlines(), 1):
    if not (m := LINE.match(raw)):
        print(f"line {n}: skipped {raw!r}")
        continue
    g = m.groupdict()
    by_status[g["status"][0] + "xx"] += 1
    sizes[g["path"]] += int(g["size"]) if g["size"] != "-" else 0
    ts = datetime.strptime(g["ts"], "%d/%b/%Y:%H:%M:%S %z")
print(by_status, dict(sizes), ts.isoformat())
