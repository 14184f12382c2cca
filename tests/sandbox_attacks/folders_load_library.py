# weakness: runnable folders
# goal: load a library that it wrote
# reached: "loaded"
# refused: failed to map segment
# gvisor: it maps what it may read; what such code can ask of the kernel is the same
import ctypes
import glob
import shutil

(library,) = glob.glob("/lib/*/libm.so.6")
shutil.copy(library, "/workspace/own.so")
own = ctypes.CDLL("/workspace/own.so")
own.cos.restype = ctypes.c_double
own.cos.argtypes = [ctypes.c_double]
result = "loaded" if own.cos(0.0) == 1.0 else None
