// System information about sockets and threads that Swift's Glibc module does not offer.

#ifndef CCURL_SYSTEM_INFO_H
#define CCURL_SYSTEM_INFO_H

#include <stdbool.h>
#include <stdint.h>

/// Returns the number of bytes that the process has read from a TCP connection; -1 if unknown.
int64_t ccurl_bytes_read(int socket);

/// Returns the number of bytes written to a TCP connection that the other side has acknowledged; -1 if no
/// further bytes are outstanding, or the system does not report the number.
int64_t ccurl_bytes_acknowledged(int socket);

/// The two endpoints of a TCP connection; IPv4 addresses as IPv4-mapped IPv6 addresses.
typedef struct ccurl_endpoints {
  uint64_t local[2];
  uint64_t remote[2];
  uint16_t localPort;
  uint16_t remotePort;
} ccurl_endpoints;

/// Reads the endpoints of a socket; false if it is not a connected TCP socket.
bool ccurl_endpoints_of_socket(int socket, ccurl_endpoints *endpoints);

/// Reads the endpoints from the strings that libcurl reports; false if an address or a port is invalid.
bool ccurl_endpoints_of_addresses(const char *local, long localPort, const char *remote, long remotePort, ccurl_endpoints *endpoints);

/// Returns the CPU clock of the calling thread; -1 if there is none.
int ccurl_thread_clock(void);

/// Returns the time of such a clock in nanoseconds; -1 if there is none, or its thread has ended.
int64_t ccurl_thread_time(int clock);

#endif
