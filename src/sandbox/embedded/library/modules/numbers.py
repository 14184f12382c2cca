# numbers: for isinstance and annotations only.
def _mce_module_numbers():
    names = {}
    for name in ["Number", "Complex", "Real"]:
        names[name] = _mce_Abstract("numbers", name, (int, float), [])
    for name in ["Rational", "Integral"]:
        names[name] = _mce_Abstract("numbers", name, (int,), [])
    return names
