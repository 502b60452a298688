#include "Facts.h"

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
  // An older system knows less.
  return size >= offsetof(struct tcp_info, tcpi_bytes_received) + sizeof info->tcpi_bytes_received;
}

int64_t ccurl_read(int socket) {
  struct tcp_info info;
  int waiting;
  if (!find(socket, &info) || ioctl(socket, FIONREAD, &waiting) != 0) return -1;
  return (int64_t)info.tcpi_bytes_received - waiting;
}

int64_t ccurl_acknowledged(int socket) {
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

int64_t ccurl_read(int socket) { return -1; }

int64_t ccurl_acknowledged(int socket) { return -1; }

int ccurl_thread_clock(void) { return -1; }

int64_t ccurl_thread_time(int clock) { return -1; }

#endif
