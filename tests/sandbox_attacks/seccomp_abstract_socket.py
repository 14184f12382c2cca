# weakness: seccomp
# goal: let processes that share nothing find each other by an abstract socket's name
# reached: "a stranger"
# refused: PermissionError
import os
import socket

server = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
server.bind("\0meeting")
server.listen()
if os.fork() == 0:
    os.closerange(3, 64)
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.connect("\0meeting")
    client.send(b"a stranger")
    os._exit(0)
result = server.accept()[0].recv(64).decode()
