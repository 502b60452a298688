#include "SystemInfo.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

static void write_v4(const struct in_addr *address, uint64_t words[2]) {
  unsigned char bytes[16] = {[10] = 0xFF, [11] = 0xFF};
  memcpy(bytes + 12, address, 4);
  memcpy(words, bytes, sizeof bytes);
}

static bool write_endpoint(const struct sockaddr_storage *address, uint64_t words[2], uint16_t *port) {
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *end = (const struct sockaddr_in *)address;
    write_v4(&end->sin_addr, words);
    *port = ntohs(end->sin_port);
    return true;
  }
  if (address->ss_family != AF_INET6) return false;
  const struct sockaddr_in6 *end = (const struct sockaddr_in6 *)address;
  memcpy(words, &end->sin6_addr, 16);
  *port = ntohs(end->sin6_port);
  return true;
}

bool ccurl_endpoints_of_socket(int socket, ccurl_endpoints *endpoints) {
  struct sockaddr_storage local, remote;
  socklen_t localSize = sizeof local, remoteSize = sizeof remote;
  return getsockname(socket, (struct sockaddr *)&local, &localSize) == 0 &&
         getpeername(socket, (struct sockaddr *)&remote, &remoteSize) == 0 &&
         write_endpoint(&local, endpoints->local, &endpoints->localPort) && write_endpoint(&remote, endpoints->remote, &endpoints->remotePort);
}

static bool read_endpoint(const char *text, long number, uint64_t words[2], uint16_t *port) {
  struct in_addr four;
  if (!text || number <= 0 || number > UINT16_MAX) return false;
  *port = (uint16_t)number;
  if (inet_pton(AF_INET, text, &four) != 1) return inet_pton(AF_INET6, text, words) == 1;
  write_v4(&four, words);
  return true;
}

bool ccurl_endpoints_of_addresses(const char *local, long localPort, const char *remote, long remotePort, ccurl_endpoints *endpoints) {
  return read_endpoint(local, localPort, endpoints->local, &endpoints->localPort) &&
         read_endpoint(remote, remotePort, endpoints->remote, &endpoints->remotePort);
}

#if defined(__linux__) && __has_include(<linux/tcp.h>)

#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

static bool find(int socket, struct tcp_info *info) {
  socklen_t size = sizeof *info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, info, &size) != 0) return false;
  // An older system reports fewer fields.
  return size >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info->tcpi_bytes_received;
}

int64_t ccurl_bytes_read(int socket) {
  struct tcp_info info;
  int waiting;
  if (!find(socket, &info) || ioctl(socket, FIONREAD, &waiting) != 0) return -1;
  return (int64_t)info.tcpi_bytes_received - waiting;
}

int64_t ccurl_bytes_acknowledged(int socket) {
  struct tcp_info info;
  int waiting;
  if (!find(socket, &info) || ioctl(socket, TIOCOUTQ, &waiting) != 0 || waiting == 0) return -1;
  return (int64_t)info.tcpi_bytes_acked;
}

int ccurl_thread_clock(void) {
  clockid_t clock;
  return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? (int)clock : -1;
}

int64_t ccurl_thread_time(int clock) {
  struct timespec time;
  if (clock == -1 || clock_gettime((clockid_t)clock, &time) != 0) return -1;
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

#else

int64_t ccurl_bytes_read(int socket) { return -1; }

int64_t ccurl_bytes_acknowledged(int socket) { return -1; }

int ccurl_thread_clock(void) { return -1; }

int64_t ccurl_thread_time(int clock) { return -1; }

#endif
