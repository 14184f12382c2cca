# weakness: seccomp
# goal: a socket to the machine that this virtual machine runs on
# reached: "AF_VSOCK"
# refused: PermissionError
import socket

channel = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
channel.bind((socket.VMADDR_CID_ANY, socket.VMADDR_PORT_ANY))
result = channel.family.name if channel.getsockname()[1] else None
