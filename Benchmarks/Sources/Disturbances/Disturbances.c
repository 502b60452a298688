#define _GNU_SOURCE
#include "Disturbances.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <dlfcn.h>
#include <netdb.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>

static _Atomic int64_t clock_offset;
static atomic_bool names_fail, disk_is_full, descriptors_are_used_up;

void disturb_clock(int64_t seconds) { atomic_store(&clock_offset, seconds); }
void disturb_names(bool fail) { atomic_store(&names_fail, fail); }
void disturb_disk(bool isFull) { atomic_store(&disk_is_full, isFull); }
void disturb_descriptors(bool areUsedUp) { atomic_store(&descriptors_are_used_up, areUsedUp); }

int clock_gettime(clockid_t clock, struct timespec *time) {
  long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += atomic_load(&clock_offset);
  return (int)result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time->tv_sec = now.tv_sec;
  time->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result) *result = now.tv_sec;
  return now.tv_sec;
}

// The semaphores of Dispatch wait until a time of the wall clock, which the kernel has not moved.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
  struct timespec moved = *time;
  moved.tv_sec -= atomic_load(&clock_offset);
  return sem_clockwait(semaphore, CLOCK_REALTIME, &moved);
}

int getaddrinfo(
    const char *restrict host, const char *restrict service, const struct addrinfo *restrict hints,
    struct addrinfo **restrict result) {
  int (*find)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      dlsym(RTLD_NEXT, "getaddrinfo");
  if (host == NULL || strcmp(host, "soak.test") != 0) return find(host, service, hints, result);
  return atomic_load(&names_fail) ? EAI_AGAIN : find("127.0.0.1", service, hints, result);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (atomic_load_explicit(&disk_is_full, memory_order_relaxed) && descriptor > STDERR_FILENO) {
    struct stat facts;
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
      errno = ENOSPC;
      return -1;
    }
  }
  return syscall(SYS_write, descriptor, bytes, count);
}

static int opened(int folder, const char *path, int flags, mode_t mode) {
  if (atomic_load_explicit(&descriptors_are_used_up, memory_order_relaxed) && strncmp(path, "/proc/", 6) != 0) {
    errno = EMFILE;
    return -1;
  }
  return (int)syscall(SYS_openat, folder, path, flags, mode);
}

static mode_t mode_of(int flags, va_list arguments) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return opened(folder, path, flags, mode);
}

int socket(int domain, int type, int protocol) {
  if (atomic_load_explicit(&descriptors_are_used_up, memory_order_relaxed)) {
    errno = EMFILE;
    return -1;
  }
  return (int)syscall(SYS_socket, domain, type, protocol);
}
#else
void disturb_clock(int64_t seconds) { (void)seconds; }
void disturb_names(bool fail) { (void)fail; }
void disturb_disk(bool isFull) { (void)isFull; }
void disturb_descriptors(bool areUsedUp) { (void)areUsedUp; }
#endif

int disturb_connections(void) {
  int broken = 0;
  for (int descriptor = 3; descriptor < 65536; descriptor++) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    if (getpeername(descriptor, (struct sockaddr *)&peer, &length) != 0 || peer.ss_family != AF_INET) continue;
    if (shutdown(descriptor, SHUT_RDWR) == 0) broken++;
  }
  return broken;
}

bool disturb_by_fork(void) {
  pid_t copy = fork();
  if (copy == 0) {
    sleep(1);
    _exit(0);
  }
  int status = 0;
  return copy > 0 && waitpid(copy, &status, 0) == copy && WIFEXITED(status);
}
