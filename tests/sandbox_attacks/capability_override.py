# weakness: capability DAC_OVERRIDE
# as: 0:0
# goal: read a file that only another user may read
# reached: "$SECRET"
# refused: PermissionError
with open("/attack/other") as file:
    result = file.read()
