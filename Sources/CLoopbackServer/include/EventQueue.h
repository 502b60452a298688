#ifndef CLOOPBACKSERVER_EVENT_QUEUE_H
#define CLOOPBACKSERVER_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

/// What happens to a socket.
enum {
  CLOOPBACK_READABLE = 1,
  CLOOPBACK_WRITABLE = 2,
  /// The peer has closed its sending side.
  CLOOPBACK_CLOSED = 4,
  /// Both sides are closed, or the connection has failed; reported without being asked for.
  CLOOPBACK_ENDED = 8,
};

typedef struct cloopback_event {
  /// The key of the socket.
  uint64_t key;
  int happened;
} cloopback_event;

/// Makes a queue; returns its descriptor, which the caller closes, or -1 with `errno`.
int cloopback_queue_make(void);

/// Sets the events to report for a socket; returns `false` with `errno` if that fails.
bool cloopback_queue_watch(int queue, int socket, uint64_t key, int interest, bool isNew);

/// Reports no further events of a socket, which stays open.
void cloopback_queue_forget(int queue, int socket);

/// Waits for events, for ever if `milliseconds` is -1; returns their number, or -1 with `errno`.
int cloopback_queue_wait(int queue, cloopback_event *events, int capacity, int milliseconds);

#endif
