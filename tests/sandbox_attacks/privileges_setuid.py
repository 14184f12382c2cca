# weakness: new privileges
# goal: read what only root may, by a program with the setuid bit
# reached: "$SECRET"
# refused: Permission denied
import subprocess

done = subprocess.run(["/attack/setuid", "/attack/root"], capture_output=True)
result = (done.stdout or done.stderr).decode().strip()
