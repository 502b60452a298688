// The least that a WebSocket client over libcurl does: `CURLOPT_CONNECT_ONLY`, `curl_easy_send`,
// `curl_easy_recv` and epoll, on the calling thread. It trusts the server, and checks nothing.

#ifndef CURL_WEBSOCKET_REFERENCE_H
#define CURL_WEBSOCKET_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Sends messages of `size` bytes to a server that sends them back, `in_flight` at a time.
///
/// `url` is that of the server with the scheme `http` and without a path. Returns the number of messages that
/// came back within `seconds`; 0 if libcurl is missing or the connection fails.
uint64_t curl_websocket_reference_echo(const char *url, size_t size, int in_flight, double seconds);

/// Opens `count` WebSockets and calls `opened` when the server has accepted all of them; then serves them, with
/// a ping every 30 seconds.
///
/// Returns only if a connection fails or ends.
void curl_websocket_reference_hold(const char *url, int count, void (*opened)(void));

#endif
