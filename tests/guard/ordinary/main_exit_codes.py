import json
from typing import NoReturn
def die(msg: str) -> NoReturn: raise SystemExit(msg)
def main(argv: list[str] | None = None) -> int:
    args = argv or ["--n", "3"]
    opts = dict(zip(args[::2], args[1::2]))
    try: n = int(opts["--n"])
    except (KeyError, ValueError): die("bad --n")
    print(json.dumps({"squares": [i * i for i in range(n)]}))
    return 0
if __name__ == "__main__":
    raise SystemExit(main())
