# bisect: complete.
def _mce_module_bisect():
    def check(lo):
        if lo < 0:
            raise ValueError("lo must be non-negative")

    def bisect_right(a, x, lo=0, hi=None, *, key=None):
        check(lo)
        if hi is None:
            hi = len(a)
        while lo < hi:
            mid = (lo + hi) // 2
            item = a[mid] if key is None else key(a[mid])
            if x < item:
                hi = mid
            else:
                lo = mid + 1
        return lo

    def bisect_left(a, x, lo=0, hi=None, *, key=None):
        check(lo)
        if hi is None:
            hi = len(a)
        while lo < hi:
            mid = (lo + hi) // 2
            item = a[mid] if key is None else key(a[mid])
            if item < x:
                lo = mid + 1
            else:
                hi = mid
        return lo

    def insort_right(a, x, lo=0, hi=None, *, key=None):
        a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)

    def insort_left(a, x, lo=0, hi=None, *, key=None):
        a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)

    return {
        "bisect": bisect_right,
        "bisect_left": bisect_left,
        "bisect_right": bisect_right,
        "insort": insort_right,
        "insort_left": insort_left,
        "insort_right": insort_right,
    }
