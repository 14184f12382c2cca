# weakness: mount
# goal: leave a file for the next execution
# reached: "$SECRET"
# refused: FileNotFoundError
with open("/host/left", "w") as file:
    file.write("$SECRET")
# --- after ---
with open("/host/left") as file:
    result = file.read()
