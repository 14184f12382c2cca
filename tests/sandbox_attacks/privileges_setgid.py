# weakness: new privileges
# goal: read what only a group may, by a program with the setgid bit
# reached: "$SECRET"
# refused: Permission denied
import subprocess

done = subprocess.run(["/attack/setgid", "/attack/group"], capture_output=True)
result = (done.stdout or done.stderr).decode().strip()
