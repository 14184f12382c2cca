# weakness: seccomp
# goal: talk over TCP on the loopback interface
# reached: "came over 127.0.0.1"
# refused: PermissionError
import socket

listener = socket.create_server(("127.0.0.1", 0))
sender = socket.create_connection(listener.getsockname())
receiver, address = listener.accept()
sender.sendall(f"came over {address[0]}".encode())
result = receiver.recv(64).decode()
