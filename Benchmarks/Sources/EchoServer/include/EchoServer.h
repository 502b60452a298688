// A WebSocket server on one thread, whose own cost is small next to that of its clients.

#ifndef ECHO_SERVER_H
#define ECHO_SERVER_H

#include <stdint.h>

/// Starts the server on a separate thread; returns its port, or 0 if it could not start.
///
/// It sends each message back. On `/sink` it drops the messages instead, and on `/deflate` it accepts
/// `permessage-deflate` and sends compressed messages back as they are.
uint16_t echo_server_start(void);

/// Returns the number of handshakes that the server has accepted.
uint64_t echo_server_accepted(void);

/// Returns the number of WebSockets that their clients have closed: with a close frame, or by ending the
/// connection without one.
///
/// `time` receives the nanoseconds of the monotonic clock when the last of them did.
uint64_t echo_server_closed(uint64_t *time);

/// Returns the number of bytes of messages that have arrived on `/sink`.
uint64_t echo_server_dropped(void);

#endif
