// What the system tells of sockets and threads, and Swift's Glibc module does not offer.

#ifndef CCURL_FACTS_H
#define CCURL_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/// How many bytes have been read of a connection of TCP; -1 where the system does not tell.
int64_t ccurl_read(int socket);

/// How many bytes of what was written to a connection of TCP the other side has taken, while the system has more of that to send;
/// -1 where it has no more, or does not tell.
int64_t ccurl_acknowledged(int socket);

/// The two ends of a connection of TCP; addresses of IPv4 as those of IPv6 that stand for them.
typedef struct ccurl_ends {
  uint64_t local[2];
  uint64_t remote[2];
  uint16_t localPort;
  uint16_t remotePort;
} ccurl_ends;

/// The ends of a socket; false where it is not connected by TCP.
bool ccurl_ends_of_socket(int socket, ccurl_ends *ends);

/// The ends as libcurl writes them; false where one is no address or no port.
bool ccurl_ends_of_texts(const char *local, long localPort, const char *remote, long remotePort, ccurl_ends *ends);

/// A clock of the processor time that the calling thread takes; -1 where there is none.
int ccurl_thread_clock(void);

/// What such a clock says, in nanoseconds; -1 where there is none, or its thread has ended.
int64_t ccurl_thread_time(int clock);

#endif
