def validate(row: dict) -> None:
    errs: list[Exception] = []
    if not row.get("name"): errs.append(ValueError("name required"))
    if not isinstance(row.get("age"), int): errs.append(TypeError("age must be int"))
    if errs: raise ExceptionGroup(f"row {row.get('id')}", errs)


def leaves(e):
    match e:
        case BaseExceptionGroup(exceptions=inner):
            for i in inner: yield from leaves(i)
        case _: yield e


all_errs = []
for row in ({"id": 1}, {"id": 2, "name": "x", "age": 3}, {"id": 3, "name": "", "age": 1}):
    try: validate(row)
    except ExceptionGroup as eg: eg.add_note(f"row={row}"); all_errs.append(eg)
try:
    raise ExceptionGroup("import failed", all_errs)
except* ValueError as eg:
    print("values:", [str(e) for e in leaves(eg)])
except* TypeError as eg:
    print("types:", [str(e) for e in leaves(eg)], eg.derive([ValueError()]).message)
print(all_errs[0].__notes__)
