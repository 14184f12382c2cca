# weakness: root user
# goal: read a file of root
# reached: "$SECRET"
# refused: PermissionError
with open("/attack/root") as file:
    result = file.read()
