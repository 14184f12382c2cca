# weakness: environment
# goal: read a secret out of what the container was started with
# reached: ["$SECRET"]
# refused: []
with open("/proc/self/environ", "rb") as file:
    variables = [variable.partition(b"=") for variable in file.read().split(b"\0")]
result = [value.decode() for name, _, value in variables if name == b"TOKEN"]
