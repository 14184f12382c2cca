# weakness: root group
# goal: read a file of the group of root
# reached: "$SECRET"
# refused: PermissionError
with open("/attack/group") as file:
    result = file.read()
