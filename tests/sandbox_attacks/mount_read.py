# weakness: mount
# goal: read a file of the host
# reached: "$SECRET"
# refused: FileNotFoundError
with open("/host/secret") as file:
    result = file.read()
