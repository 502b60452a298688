#include "EventQueue.h"

enum { CAPACITY = 256 };

#ifdef __linux__

#include <sys/epoll.h>

int cloopback_queue_make(void) { return epoll_create1(EPOLL_CLOEXEC); }

bool cloopback_queue_watch(int queue, int socket, uint64_t key, int interest, bool isNew) {
  struct epoll_event event = {.data = {.u64 = key}};
  if (interest & CLOOPBACK_READABLE) event.events |= EPOLLIN;
  if (interest & CLOOPBACK_WRITABLE) event.events |= EPOLLOUT;
  if (interest & CLOOPBACK_CLOSED) event.events |= EPOLLRDHUP;
  return epoll_ctl(queue, isNew ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event) == 0;
}

void cloopback_queue_forget(int queue, int socket) {
  // A kernel before 2.6.9 reads the event, although it has no meaning.
  struct epoll_event event = {0};
  epoll_ctl(queue, EPOLL_CTL_DEL, socket, &event);
}

int cloopback_queue_wait(int queue, cloopback_event *events, int capacity, int milliseconds) {
  struct epoll_event reports[CAPACITY];
  int count = epoll_wait(queue, reports, capacity < CAPACITY ? capacity : CAPACITY, milliseconds);
  for (int index = 0; index < count; index++) {
    uint32_t report = reports[index].events;
    events[index].key = reports[index].data.u64;
    events[index].happened = (report & EPOLLIN ? CLOOPBACK_READABLE : 0) |
                             (report & EPOLLOUT ? CLOOPBACK_WRITABLE : 0) |
                             (report & EPOLLRDHUP ? CLOOPBACK_CLOSED : 0) |
                             (report & (EPOLLHUP | EPOLLERR) ? CLOOPBACK_ENDED : 0);
  }
  return count;
}

#else

#include <stddef.h>
#include <sys/event.h>
#include <time.h>

int cloopback_queue_make(void) { return kqueue(); }

// The filter for reading also reports that the peer has closed.
bool cloopback_queue_watch(int queue, int socket, uint64_t key, int interest, bool isNew) {
  (void)isNew;
  struct kevent changes[2];
  void *data = (void *)(uintptr_t)key;
  EV_SET(&changes[0], socket, EVFILT_READ, EV_ADD | (interest & CLOOPBACK_READABLE ? EV_ENABLE : EV_DISABLE), 0, 0, data);
  EV_SET(&changes[1], socket, EVFILT_WRITE, EV_ADD | (interest & CLOOPBACK_WRITABLE ? EV_ENABLE : EV_DISABLE), 0, 0, data);
  return kevent(queue, changes, 2, NULL, 0, NULL) == 0;
}

void cloopback_queue_forget(int queue, int socket) {
  struct kevent changes[2];
  EV_SET(&changes[0], socket, EVFILT_READ, EV_DELETE, 0, 0, NULL);
  EV_SET(&changes[1], socket, EVFILT_WRITE, EV_DELETE, 0, 0, NULL);
  kevent(queue, changes, 2, NULL, 0, NULL);
}

int cloopback_queue_wait(int queue, cloopback_event *events, int capacity, int milliseconds) {
  struct kevent reports[CAPACITY];
  struct timespec limit = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  int count = kevent(queue, NULL, 0, reports, capacity < CAPACITY ? capacity : CAPACITY, milliseconds < 0 ? NULL : &limit);
  for (int index = 0; index < count; index++) {
    events[index].key = (uint64_t)(uintptr_t)reports[index].udata;
    events[index].happened = (reports[index].filter == EVFILT_READ ? CLOOPBACK_READABLE : CLOOPBACK_WRITABLE) |
                             (reports[index].flags & EV_EOF ? CLOOPBACK_CLOSED : 0) |
                             (reports[index].flags & EV_ERROR ? CLOOPBACK_ENDED : 0);
  }
  return count;
}

#endif
