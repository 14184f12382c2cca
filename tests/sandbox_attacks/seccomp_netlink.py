# weakness: seccomp
# goal: list the network interfaces by asking the kernel over netlink
# reached: ["lo"]
# refused: PermissionError
import socket
import struct

RTM_GETLINK, NLM_F_REQUEST, NLM_F_DUMP, IFLA_IFNAME = 18, 1, 0x300, 3
link = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
link.send(struct.pack("=IHHII16x", 32, RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, 1, 0))
data = link.recv(1 << 16)
result = []
position = 32
while position + 4 <= struct.unpack_from("=I", data)[0]:
    length, kind = struct.unpack_from("=HH", data, position)
    if kind == IFLA_IFNAME:
        result.append(data[position + 4 : position + length].rstrip(b"\0").decode())
    position += (length + 3) & ~3
