// The server's side of the handshake (RFC 6455, section 4.2.2).

#ifndef HANDSHAKE_H
#define HANDSHAKE_H

#include <stdbool.h>
#include <stddef.h>

/// Writes the response to a request, whose head ends with a null character; returns its length, or 0 if the
/// request is not a handshake.
size_t handshake_response(const char *request, bool compresses, char *response, size_t capacity);

#endif
