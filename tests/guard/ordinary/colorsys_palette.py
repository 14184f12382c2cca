from colorsys import rgb_to_hsv, hsv_to_rgb, rgb_to_hls, hls_to_rgb, rgb_to_yiq
from itertools import starmap
def parse(h: str) -> tuple[float, ...]: return tuple(int(h.lstrip("#")[i:i + 2], 16) / 255 for i in (0, 2, 4))
def fmt(rgb) -> str: return "#{:02x}{:02x}{:02x}".format(*(round(c * 255) for c in rgb))
def shades(h, n=3):
    hue, l, s = rgb_to_hls(*parse(h))
    return [fmt(hls_to_rgb(hue, l * (i + 1) / n, s)) for i in range(n)]
def contrast(h): return "black" if rgb_to_yiq(*parse(h))[0] > 0.5 else "white"
print(shades("#3366cc"), [fmt(hsv_to_rgb(i / 4, 1, 1)) for i in range(4)], contrast("#ffee00"), [round(v, 2) for v in rgb_to_hsv(1, .5, 0)])
