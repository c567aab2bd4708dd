"""Let `warm.py` run a command: python -I -S warm_client.py SOCKET PYTHON WORD …; imports little, to start fast."""

import _socket
import array
import marshal
import posix
import sys

address, python, *words = sys.argv[1:]
with_streams = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
connection = _socket.socket(_socket.AF_UNIX)
try:
    connection.connect(address)
    connection.sendmsg([marshal.dumps((words, posix.getcwdb(), posix.environ))], with_streams)
    connection.shutdown(_socket.SHUT_WR)
    answer = connection.recv(2)
except OSError:  # a stream is closed
    answer = b"x"
if answer == b"x":
    posix.execv(python, [python, *words])
posix._exit(answer[1] if answer else 70)  # no answer: killed
