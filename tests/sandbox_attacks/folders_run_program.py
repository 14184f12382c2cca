# weakness: runnable folders
# goal: run a program that it wrote
# reached: "ran"
# refused: PermissionError
import shutil
import subprocess

shutil.copy("/bin/echo", "/tmp/program")
command = ["/tmp/program", "ran"]
result = subprocess.run(command, capture_output=True, check=True).stdout.decode().strip()
