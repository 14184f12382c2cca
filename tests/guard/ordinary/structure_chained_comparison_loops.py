matrix = [[1, 2, 3], [4, 5, 6]]
for i, row in enumerate(matrix):
    for j, v in enumerate(row):
        if v == 5: print("found", i, j); break
    else: continue
    break
else: print("not found")
lo, hi, target = 0, 100, 42
while lo <= hi:
    mid = (lo + hi) // 2
    if mid == target: print("bisect", mid); break
    lo, hi = (mid + 1, hi) if mid < target else (lo, mid - 1)
print([*zip(*matrix)], [[r[i] for r in matrix] for i in range(3)], sum(map(sum, matrix)), {(i, j): v for i, r in enumerate(matrix) for j, v in enumerate(r) if v % 2}, any(v > 5 for r in matrix for v in r))
gen = ((x, y) for x in range(3) for y in range(x)); print(list(gen))
match matrix:
    case [[a, *_], [*_, z]]: print(a, z)
