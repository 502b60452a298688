#include "Reactor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__linux__) && !defined(CREACTOR_POLL)

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

// After IDLE_WRITES consecutive reports without a write, a descriptor is not watched for writing for
// SUSPENSION milliseconds.
enum { IDLE_WRITES = 16, SUSPENSION = 50 };

// The state of a descriptor.
typedef struct watch {
  // The events that the caller wants, and those that are registered with the queue.
  unsigned char requested, registered;
  // The number of consecutive reports without a write.
  unsigned char idleWrites;
  // Whether watching for writing is suspended.
  bool isSuspended;
  // Whether `creactor_note_closing` announces the closing of the descriptor.
  bool announcesClosing;
} watch;

struct creactor {
  int queue;
  int wakeup;
  int capacity;
  struct epoll_event *reports;
  creactor_event *events;
  // The watches, indexed by descriptor.
  watch *watches;
  int count;
  // The number of suspended watches, and the time in milliseconds at which the first was suspended.
  int suspended;
  int64_t suspendedSince;
};

// Level-triggered: libcurl reads one buffer at a time and relies on another report of the remaining data.
static uint32_t flags(int interest) {
  return (interest & CREACTOR_READ ? EPOLLIN : 0u) | (interest & CREACTOR_WRITE ? EPOLLOUT : 0u);
}

static bool grow(creactor *reactor, int capacity) {
  struct epoll_event *reports = realloc(reactor->reports, (size_t)capacity * sizeof *reports);
  if (!reports) return false;
  reactor->reports = reports;
  creactor_event *events = realloc(reactor->events, (size_t)capacity * sizeof *events);
  if (!events) return false;
  reactor->events = events;
  reactor->capacity = capacity;
  return true;
}

creactor *creactor_make(void) {
  creactor *reactor = calloc(1, sizeof *reactor);
  if (!reactor) return NULL;
  reactor->queue = epoll_create1(EPOLL_CLOEXEC);
  reactor->wakeup = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  // Edge-triggered: every write to the descriptor is an edge, so it need not be read.
  struct epoll_event report = {.events = EPOLLIN | EPOLLET, .data = {.fd = reactor->wakeup}};
  if (reactor->queue >= 0 && reactor->wakeup >= 0 && grow(reactor, 64) &&
      epoll_ctl(reactor->queue, EPOLL_CTL_ADD, reactor->wakeup, &report) == 0)
    return reactor;
  int reason = errno;
  creactor_free(reactor);
  errno = reason;
  return NULL;
}

void creactor_free(creactor *reactor) {
  if (reactor->queue >= 0) close(reactor->queue);
  if (reactor->wakeup >= 0) close(reactor->wakeup);
  free(reactor->reports);
  free(reactor->events);
  free(reactor->watches);
  free(reactor);
}

static watch *find(creactor *reactor, int socket) {
  if (socket >= reactor->count) {
    int count = 2 * socket + 64;
    watch *watches = realloc(reactor->watches, (size_t)count * sizeof *watches);
    if (!watches) return NULL;
    for (int index = reactor->count; index < count; index++) watches[index] = (watch){0};
    reactor->watches = watches;
    reactor->count = count;
  }
  return &reactor->watches[socket];
}

static bool update_interest(creactor *reactor, int socket, int interest) {
  struct epoll_event report = {.events = flags(interest), .data = {.fd = socket}};
  // An absent watch is not a failure: the queue removes a socket itself when its last copy is closed.
  if (!interest) return epoll_ctl(reactor->queue, EPOLL_CTL_DEL, socket, &report) == 0 || errno != ENOMEM;
  // What is noted may be outdated, for the same reason.
  int likely = reactor->watches[socket].registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (epoll_ctl(reactor->queue, likely, socket, &report) == 0) return true;
  if (errno == EEXIST) return epoll_ctl(reactor->queue, EPOLL_CTL_MOD, socket, &report) == 0;
  return errno == ENOENT && epoll_ctl(reactor->queue, EPOLL_CTL_ADD, socket, &report) == 0;
}

void creactor_note_opening(creactor *reactor, int socket) {
  watch *watch = find(reactor, socket);
  if (watch) watch->announcesClosing = true;
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void end_suspension(creactor *reactor, watch *watch) {
  if (watch->isSuspended) reactor->suspended--;
  watch->isSuspended = false;
}

// Resumes watching the descriptor for all events that the caller wants.
static void resume_watching(creactor *reactor, int socket) {
  watch *watch = &reactor->watches[socket];
  end_suspension(reactor, watch);
  if (watch->requested && update_interest(reactor, socket, watch->requested))
    watch->registered = watch->requested;
}

void creactor_note_idle_write(creactor *reactor, int socket) {
  if (socket >= reactor->count) return;
  watch *watch = &reactor->watches[socket];
  if (watch->isSuspended || !(watch->registered & CREACTOR_WRITE) || ++watch->idleWrites < IDLE_WRITES) return;
  if (!update_interest(reactor, socket, watch->registered & ~CREACTOR_WRITE)) return;
  watch->registered &= ~CREACTOR_WRITE;
  watch->isSuspended = true;
  // After the suspension, one more report without a write suspends it again.
  watch->idleWrites = IDLE_WRITES - 1;
  if (reactor->suspended++ == 0) reactor->suspendedSince = now();
}

void creactor_note_closing(creactor *reactor, int socket) {
  watch *watch = find(reactor, socket);
  if (!watch) return;
  end_suspension(reactor, watch);
  if (watch->registered) update_interest(reactor, socket, 0);
  *watch = (struct watch){0};
}

bool creactor_watch(creactor *reactor, int socket, int interest) {
  watch *watch = find(reactor, socket);
  if (!watch) return false;
  watch->requested = (unsigned char)interest;
  if (!(interest & CREACTOR_WRITE)) {
    end_suspension(reactor, watch);
    watch->idleWrites = 0;
  }
  if (watch->isSuspended) interest &= ~CREACTOR_WRITE;
  // A connection between two requests stays in the queue: the next request wants the same events, and usually
  // nothing is reported until then. This excludes sockets that may close without notice, because their
  // numbers may be reused.
  if (watch->announcesClosing && (!interest || watch->registered == interest)) return true;
  watch->registered = update_interest(reactor, socket, interest) ? (unsigned char)interest : 0;
  return watch->registered == interest;
}

int creactor_wait(creactor *reactor, int milliseconds, const creactor_event **events) {
  if (reactor->suspended && (milliseconds < 0 || milliseconds > SUSPENSION)) milliseconds = SUSPENSION;
  int count = epoll_wait(reactor->queue, reactor->reports, reactor->capacity, milliseconds);
  // More sockets may be ready. Those already reported are still ready and are reported again.
  while (count == reactor->capacity && grow(reactor, 2 * reactor->capacity))
    count = epoll_wait(reactor->queue, reactor->reports, reactor->capacity, 0);
  if (reactor->suspended && now() - reactor->suspendedSince >= SUSPENSION) {
    for (int socket = 0; socket < reactor->count; socket++)
      if (reactor->watches[socket].isSuspended) resume_watching(reactor, socket);
  }
  int ready = 0;
  for (int index = 0; index < count; index++) {
    const struct epoll_event *report = &reactor->reports[index];
    if (report->data.fd == reactor->wakeup) continue;
    watch *watch = &reactor->watches[report->data.fd];
    if (!watch->requested) {
      // The caller does not read the socket, so every wait would report it.
      update_interest(reactor, report->data.fd, 0);
      watch->registered = 0;
      continue;
    }
    int readiness = 0;
    if (!(report->events & (EPOLLERR | EPOLLHUP))) {
      if (report->events & EPOLLIN) readiness |= CREACTOR_READ;
      if (report->events & EPOLLOUT) readiness |= CREACTOR_WRITE;
    }
    if (readiness != CREACTOR_WRITE) {
      // The input may have opened the window for writing.
      watch->idleWrites = 0;
      if (watch->isSuspended) resume_watching(reactor, report->data.fd);
    }
    reactor->events[ready++] = (creactor_event){report->data.fd, readiness};
  }
  *events = reactor->events;
  return ready;
}

void creactor_wake(creactor *reactor) {
  uint64_t one = 1;
  (void)!write(reactor->wakeup, &one, sizeof one);
}

#else

#include <poll.h>

struct creactor {
  // The first entry is the read end of the wake-up pipe.
  struct pollfd *sockets;
  creactor_event *events;
  int count;
  int capacity;
  int wakeup;
};

static bool grow(creactor *reactor, int capacity) {
  struct pollfd *sockets = realloc(reactor->sockets, (size_t)capacity * sizeof *sockets);
  if (!sockets) return false;
  reactor->sockets = sockets;
  creactor_event *events = realloc(reactor->events, (size_t)capacity * sizeof *events);
  if (!events) return false;
  reactor->events = events;
  reactor->capacity = capacity;
  return true;
}

creactor *creactor_make(void) {
  creactor *reactor = calloc(1, sizeof *reactor);
  if (!reactor) return NULL;
  int ends[2];
  if (!grow(reactor, 64) || pipe(ends) != 0) {
    int reason = errno;
    free(reactor->sockets);
    free(reactor->events);
    free(reactor);
    errno = reason;
    return NULL;
  }
  for (int index = 0; index < 2; index++) {
    fcntl(ends[index], F_SETFD, FD_CLOEXEC);
    fcntl(ends[index], F_SETFL, O_NONBLOCK);
  }
  reactor->sockets[0] = (struct pollfd){.fd = ends[0], .events = POLLIN};
  reactor->count = 1;
  reactor->wakeup = ends[1];
  return reactor;
}

void creactor_free(creactor *reactor) {
  close(reactor->sockets[0].fd);
  close(reactor->wakeup);
  free(reactor->sockets);
  free(reactor->events);
  free(reactor);
}

bool creactor_watch(creactor *reactor, int socket, int interest) {
  int index = 1;
  while (index < reactor->count && reactor->sockets[index].fd != socket) index++;
  if (!interest) {
    if (index < reactor->count) reactor->sockets[index] = reactor->sockets[--reactor->count];
    return true;
  }
  if (index == reactor->capacity && !grow(reactor, 2 * reactor->capacity)) return false;
  short requested = (interest & CREACTOR_READ ? POLLIN : 0) | (interest & CREACTOR_WRITE ? POLLOUT : 0);
  reactor->sockets[index] = (struct pollfd){.fd = socket, .events = requested};
  if (index == reactor->count) reactor->count++;
  return true;
}

void creactor_note_opening(creactor *reactor, int socket) {
  (void)reactor;
  (void)socket;
}

void creactor_note_closing(creactor *reactor, int socket) { creactor_watch(reactor, socket, 0); }

void creactor_note_idle_write(creactor *reactor, int socket) {
  (void)reactor;
  (void)socket;
}

int creactor_wait(creactor *reactor, int milliseconds, const creactor_event **events) {
  *events = reactor->events;
  if (poll(reactor->sockets, (nfds_t)reactor->count, milliseconds) <= 0) return 0;
  char bytes[64];
  if (reactor->sockets[0].revents)
    while (read(reactor->sockets[0].fd, bytes, sizeof bytes) == sizeof bytes) continue;
  int ready = 0;
  for (int index = 1; index < reactor->count; index++) {
    short found = reactor->sockets[index].revents;
    if (!found) continue;
    int readiness = 0;
    if (!(found & (POLLERR | POLLHUP | POLLNVAL))) {
      if (found & POLLIN) readiness |= CREACTOR_READ;
      if (found & POLLOUT) readiness |= CREACTOR_WRITE;
    }
    reactor->events[ready++] = (creactor_event){reactor->sockets[index].fd, readiness};
  }
  return ready;
}

void creactor_wake(creactor *reactor) {
  char byte = 1;
  (void)!write(reactor->wakeup, &byte, 1);
}

#endif
