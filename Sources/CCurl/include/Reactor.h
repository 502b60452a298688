// Waiting for sockets, for a point in time and for other threads: epoll on Linux, poll(2) elsewhere.
//
// In C because Swift's Glibc module does not offer epoll. All functions but `creactor_wake` belong to one thread.

#ifndef CCURL_REACTOR_H
#define CCURL_REACTOR_H

#include <stdbool.h>

/// What a socket is watched for, and what it is ready for; the numbers are libcurl's CURL_POLL_* and CURL_CSELECT_*.
enum {
  CREACTOR_READ = 1,
  CREACTOR_WRITE = 2,
};

/// A socket that is ready.
typedef struct creactor_event {
  int socket;
  /// What for; 0 where the system reports an error or a hang-up, and the socket itself tells more.
  int readiness;
} creactor_event;

typedef struct creactor creactor;

/// Returns NULL with the reason in `errno` where the process has no descriptor or memory left.
creactor *creactor_make(void);

void creactor_free(creactor *reactor);

/// Watches a socket from now on for `interest`, whatever it was watched for before; 0 ends it.
///
/// Must be told before a watched socket is closed. Returns false where the system has no memory left.
bool creactor_watch(creactor *reactor, int socket, int interest);

/// Tells of a socket that has been opened, and whose end `creactor_closing` will tell of.
///
/// Watching one again after an end then costs no call of the system.
void creactor_opened(creactor *reactor, int socket);

/// Tells that nothing was written to a socket that was reported to be ready for that and for nothing else.
///
/// One of which this is told many times in a row is not asked for that for a while: it would be reported at once, over and over.
void creactor_wrote_nothing(creactor *reactor, int socket);

/// Tells of a socket that is about to be closed.
void creactor_closing(creactor *reactor, int socket);

/// Waits until a socket is ready, `milliseconds` are over (-1: never) or the reactor is woken.
///
/// Returns how many sockets are ready: all that are, so that whoever is not among them has had nothing to read. They
/// are at `*events` until the next call.
int creactor_wait(creactor *reactor, int milliseconds, const creactor_event **events);

/// Makes the wait that is on, or else the next one, return; for any thread.
void creactor_wake(creactor *reactor);

#endif
