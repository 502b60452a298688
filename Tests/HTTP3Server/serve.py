"""An HTTP/3 server for tests: serve.py PORT CERTIFICATE KEY [early].

It listens on 127.0.0.1, on PORT, or on a free port if PORT is 0. It writes "ready PORT" and then one line
for each event to standard output. It ends when its standard input ends.

  GET /bytes/N    N bytes
  POST /echo      the body of the request
  GET /hang       no response
  GET /drip       a head and the beginning of a body without end
  GET /reset      the stream is reset without a response (H3_INTERNAL_ERROR)
  GET /cut        the stream is reset within the body
  GET /leave      the connection closes without a response
  GET /leave?once the same, but only the first time
  GET /refuse     401 with a Digest challenge, and the stream is reset within the body
  anything else   the method, the path and "h3"

With "early", it accepts early data (0-RTT).
"""

import asyncio
import os
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3_ALPN, H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated, StopSendingReceived, StreamReset


def report(*words):
    print(*words, flush=True)


class Connection(QuicConnectionProtocol):
    count = 0
    left = set()

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        Connection.count += 1
        self.name = Connection.count
        self.http = None
        self.requests = {}

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
            report("connection", self.name)
        elif isinstance(event, (StreamReset, StopSendingReceived)):
            request = self.requests.pop(event.stream_id, None)
            if request:
                report("reset", request["path"])
        elif isinstance(event, ConnectionTerminated):
            for request in self.requests.values():
                report("reset", request["path"])
            self.requests = {}
            report("closed", self.name)
        if self.http is None:
            return
        for part in self.http.handle_event(event):
            if isinstance(part, HeadersReceived) and part.stream_id not in self.requests:
                fields = {name.decode(): value.decode() for name, value in part.headers}
                request = {"method": fields[":method"], "path": fields[":path"], "body": bytearray()}
                self.requests[part.stream_id] = request
                report("request", request["method"], request["path"])
            request = self.requests.get(part.stream_id)
            if request is None:
                continue
            if isinstance(part, DataReceived):
                request["body"] += part.data
            if part.stream_ended:
                self.respond(part.stream_id, request)
        self.transmit()

    def respond(self, stream, request):
        path = request["path"].split("?")[0]
        if path == "/hang":
            return
        if path == "/leave" and request["path"] not in Connection.left:
            if "once" in request["path"]:
                Connection.left.add(request["path"])
            self._quic.close(error_code=0x100)
            return
        del self.requests[stream]
        if path == "/reset":
            self._quic.reset_stream(stream, 0x102)
            return
        if path == "/cut":
            self.http.send_headers(stream, self.head(100))
            self.http.send_data(stream, b"cut", end_stream=False)
            self.transmit()
            self._quic.reset_stream(stream, 0x102)
            return
        if path == "/refuse":
            challenge = b'Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256'
            self.http.send_headers(stream, [(b":status", b"401"), (b"www-authenticate", challenge)])
            self.http.send_data(stream, b"cut", end_stream=False)
            self.transmit()
            self._quic.reset_stream(stream, 0x102)
            return
        if path == "/drip":
            self.requests[stream] = request
            self.http.send_headers(stream, self.head(None))
            self.http.send_data(stream, b"drip", end_stream=False)
            return
        if path == "/echo":
            body = bytes(request["body"])
        elif path.startswith("/bytes/"):
            body = b"7" * int(path.split("/")[2])
        else:
            body = f"{request['method']} {request['path']} h3".encode()
        isHead = request["method"] == "HEAD"
        self.http.send_headers(stream, self.head(len(body)), end_stream=isHead)
        if not isHead:
            self.http.send_data(stream, body, end_stream=True)

    def head(self, length):
        fields = [(b":status", b"200"), (b"x-connection", str(self.name).encode())]
        if length is not None:
            fields.append((b"content-length", str(length).encode()))
        return fields


async def main():
    port, certificate, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    early = "early" in sys.argv[4:]
    configuration = QuicConfiguration(is_client=False, alpn_protocols=H3_ALPN, max_data=1 << 24, max_stream_data=1 << 22)
    configuration.load_cert_chain(certificate, key)
    tickets = {}
    server = await serve(
        "127.0.0.1", port, configuration=configuration, create_protocol=Connection,
        session_ticket_handler=(lambda ticket: tickets.update({ticket.ticket: ticket})) if early else None,
        session_ticket_fetcher=tickets.get if early else None,
    )
    report("ready", server._transport.get_extra_info("sockname")[1])
    await asyncio.get_running_loop().run_in_executor(None, lambda: os.read(0, 1))
    os._exit(0)


asyncio.run(main())
