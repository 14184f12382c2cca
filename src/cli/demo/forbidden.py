import os

result = dict(os.environ)
