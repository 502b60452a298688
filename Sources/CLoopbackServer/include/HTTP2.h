#ifndef CLOOPBACKSERVER_HTTP2_H
#define CLOOPBACKSERVER_HTTP2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The server's side of an HTTP/2 connection (RFC 9113), in libnghttp2; it reads and writes no socket.
typedef struct cloopback_http2 cloopback_http2;

/// A part of a text that does not end with a zero.
typedef struct cloopback_text {
  const uint8_t *bytes;
  size_t count;
} cloopback_text;

typedef struct cloopback_field {
  cloopback_text name, value;
} cloopback_field;

/// What may follow the bytes of a body. If there are no bytes and more will follow, the body is asked for again
/// after `cloopback_http2_resume`.
enum {
  CLOOPBACK_MORE = 0,
  CLOOPBACK_LAST = 1,
  CLOOPBACK_TRAILERS = 2,
};

/// Functions that are called with `context` inside `cloopback_http2_receive` and `cloopback_http2_send`.
typedef struct cloopback_http2_handler {
  void *context;
  /// A field of a head or of trailers.
  void (*field)(void *context, int32_t stream, cloopback_text name, cloopback_text value);
  /// The head is complete.
  void (*head)(void *context, int32_t stream);
  void (*data)(void *context, int32_t stream, cloopback_text bytes);
  /// The request is complete.
  void (*end)(void *context, int32_t stream);
  void (*closed)(void *context, int32_t stream, uint32_t code);
  /// GOAWAY has been sent, by libnghttp2 itself if the client does not keep to the protocol.
  void (*goneAway)(void *context, uint32_t code);
  /// Writes the next bytes of a response's body; returns their number, and in `next` one of the values above.
  size_t (*body)(void *context, int32_t stream, uint8_t *buffer, size_t capacity, int *next);
} cloopback_http2_handler;

/// Looks up libnghttp2; returns `false` with the reason in `error` if it is missing.
bool cloopback_http2_load(char *error, size_t capacity);

/// Makes a connection that allows the client so many streams at a time, and so many bytes in flight on each;
/// NULL if there is no memory or no libnghttp2. `cloopback_http2_free` frees it.
cloopback_http2 *cloopback_http2_make(const cloopback_http2_handler *handler, uint32_t streams, uint32_t window);
void cloopback_http2_free(cloopback_http2 *connection);

/// Reads what the client has sent.
void cloopback_http2_receive(cloopback_http2 *connection, const uint8_t *bytes, size_t count);

/// Returns the next bytes to send, which stay valid until the next call; none if there are none yet.
cloopback_text cloopback_http2_send(cloopback_http2 *connection);

/// Whether frames other than bodies wait to be sent; they come before bodies.
bool cloopback_http2_has_frames(cloopback_http2 *connection);

/// Lets the client send so many more bytes in place of those that `data` has received.
void cloopback_http2_consume(cloopback_http2 *connection, int32_t stream, size_t count);

/// Whether nothing more is to be sent or received, or the connection cannot go on.
bool cloopback_http2_is_over(cloopback_http2 *connection);

/// Sends an informational response, the head of a response, or its trailers.
void cloopback_http2_inform(cloopback_http2 *connection, int32_t stream, const cloopback_field *fields, size_t count);
void cloopback_http2_respond(
    cloopback_http2 *connection, int32_t stream, const cloopback_field *fields, size_t count, bool hasBody);
void cloopback_http2_trail(cloopback_http2 *connection, int32_t stream, const cloopback_field *fields, size_t count);

/// Asks for the body again.
void cloopback_http2_resume(cloopback_http2 *connection, int32_t stream);

void cloopback_http2_reset(cloopback_http2 *connection, int32_t stream, uint32_t code);

/// Sends GOAWAY; `last` is the last stream that the server serves, or -1 for the last one that it has seen.
void cloopback_http2_go_away(cloopback_http2 *connection, int32_t last, uint32_t code);
void cloopback_http2_limit_streams(cloopback_http2 *connection, uint32_t streams);

#endif
