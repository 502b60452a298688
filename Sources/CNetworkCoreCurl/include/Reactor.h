// Waits for sockets, time-outs and other threads: epoll on Linux, poll(2) elsewhere.
//
// In C because Swift's Glibc module does not offer epoll. All functions except `creactor_wake` must be called
// on one thread.

#ifndef CCURL_REACTOR_H
#define CCURL_REACTOR_H

#include <stdbool.h>

/// The events to watch a socket for, and those that it is ready for; the numbers are libcurl's CURL_POLL_*
/// and CURL_CSELECT_*.
enum {
  CREACTOR_READ = 1,
  CREACTOR_WRITE = 2,
};

/// A socket that is ready.
typedef struct creactor_event {
  int socket;
  /// The events; 0 if the system reports an error or a hang-up, which the next operation on the socket
  /// returns.
  int readiness;
} creactor_event;

typedef struct creactor creactor;

/// Creates a reactor; returns NULL with the reason in `errno` if the process has no file descriptor or memory
/// left.
creactor *creactor_make(void);

void creactor_free(creactor *reactor);

/// Watches a socket for `interest` instead of any earlier interest; 0 stops watching it.
///
/// Must be called with 0 before a watched socket is closed. Returns false if the system has no memory left.
bool creactor_watch(creactor *reactor, int socket, int interest);

/// Notes that a socket has been opened, and that the caller will announce its closing
/// (`creactor_note_closing`).
///
/// Watching such a socket again after a pause then costs no system call.
void creactor_note_opening(creactor *reactor, int socket);

/// Notes that nothing was written to a socket that was reported as ready for writing only.
///
/// After many such calls in a row, the socket is not watched for writing for a while; otherwise every wait
/// would report it.
void creactor_note_idle_write(creactor *reactor, int socket);

/// Notes that a socket is about to be closed.
void creactor_note_closing(creactor *reactor, int socket);

/// Waits until a socket is ready, `milliseconds` have passed (-1: no limit) or the reactor is woken.
///
/// Returns the number of ready sockets, and sets `*events` to their events, which are valid until the next
/// call. No ready socket is left out: every other socket has nothing to read.
int creactor_wait(creactor *reactor, int milliseconds, const creactor_event **events);

/// Makes the current or the next wait return; may be called on any thread.
void creactor_wake(creactor *reactor);

#endif
