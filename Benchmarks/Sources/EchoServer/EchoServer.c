#define _GNU_SOURCE
#include "EchoServer.h"

#ifdef __linux__

#include "Handshake.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DESCRIPTORS = 65536, INPUT = 256 << 10, OUTPUT_LIMIT = 2 << 20 };
enum { CLOSE = 8, PING = 9, PONG = 10 };

typedef struct {
  bool is_open, drops, is_closed, awaits_writing;
  // The head of the frame that arrives, as far as it has arrived.
  uint8_t head[14];
  size_t head_count;
  // The rest of its payload, and the mask, whose first byte applies to the next byte of the payload.
  uint64_t remaining;
  uint32_t mask;
  uint8_t opcode;
  // What waits to be sent.
  uint8_t *output;
  size_t sent, end, capacity;
} connection;

static int queue, listener;
static connection *connections[DESCRIPTORS];
static uint8_t input[INPUT];
static atomic_uint_fast64_t accepted, closed, closed_at, dropped;

static void note_close(connection *connection) {
  if (!connection->is_open || connection->is_closed) return;
  connection->is_closed = true;
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  atomic_store(&closed_at, (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec);
  atomic_fetch_add(&closed, 1);
}

static uint8_t *reserve(connection *connection, size_t count) {
  if (connection->end + count > connection->capacity && connection->sent > 0) {
    memmove(connection->output, connection->output + connection->sent, connection->end - connection->sent);
    connection->end -= connection->sent;
    connection->sent = 0;
  }
  if (connection->end + count > connection->capacity) {
    connection->capacity = (connection->end + count) * 2;
    connection->output = realloc(connection->output, connection->capacity);
  }
  return connection->output + connection->end;
}

// Begins the frame that answers the one whose head has arrived.
static void begin_frame(connection *connection) {
  uint8_t *head = connection->head;
  size_t length_bytes = connection->head_count - 6;
  connection->opcode = head[0] & 15;
  connection->remaining = length_bytes ? 0 : head[1] & 0x7F;
  for (size_t index = 0; index < length_bytes; index++)
    connection->remaining = connection->remaining << 8 | head[2 + index];
  memcpy(&connection->mask, head + 2 + length_bytes, 4);
  connection->head_count = 0;
  bool is_control = connection->opcode >= CLOSE;
  if (connection->opcode == PONG || (connection->drops && !is_control)) return;
  uint8_t *answer = reserve(connection, 2 + length_bytes);
  memcpy(answer, head, 2 + length_bytes);
  answer[1] &= 0x7F;
  if (connection->opcode == PING) answer[0] = 0x80 | PONG;
  connection->end += 2 + length_bytes;
}

static void append_payload(connection *connection, const uint8_t *bytes, size_t count) {
  connection->remaining -= count;
  if (connection->drops && connection->opcode < CLOSE) atomic_fetch_add(&dropped, count);
  if (connection->opcode == PONG || (connection->drops && connection->opcode < CLOSE)) return;
  uint8_t *output = reserve(connection, count);
  uint64_t mask = (uint64_t)connection->mask << 32 | connection->mask, word;
  size_t index = 0;
  for (; index + 8 <= count; index += 8) {
    memcpy(&word, bytes + index, 8);
    word ^= mask;
    memcpy(output + index, &word, 8);
  }
  for (; index < count; index++) {
    output[index] = bytes[index] ^ (uint8_t)connection->mask;
    connection->mask = connection->mask >> 8 | connection->mask << 24;
  }
  connection->end += count;
}

static void receive_frames(connection *connection, const uint8_t *bytes, size_t count) {
  while (count > 0) {
    if (connection->remaining > 0) {
      size_t part = count < connection->remaining ? count : connection->remaining;
      append_payload(connection, bytes, part);
      bytes += part, count -= part;
    } else {
      connection->head[connection->head_count++] = *bytes++;
      count--;
      if (connection->head_count < 6) continue;
      uint8_t length = connection->head[1] & 0x7F;
      if (connection->head_count < (length == 126 ? 8 : length == 127 ? 14 : 6)) continue;
      begin_frame(connection);
    }
    if (connection->remaining == 0 && connection->head_count == 0 && connection->opcode == CLOSE)
      note_close(connection);
  }
}

// Assumes that each head arrives in one piece, and nothing after it.
static bool receive_head(connection *connection, char *request, size_t count) {
  request[count] = 0;
  connection->drops = !strncmp(request, "GET /sink", 9);
  uint8_t *response = reserve(connection, 512);
  size_t length = handshake_response(request, !strncmp(request, "GET /deflate", 12), (char *)response, 512);
  connection->end += length;
  connection->is_open = length > 0;
  atomic_fetch_add(&accepted, length > 0);
  return length > 0;
}

static void end(int socket) {
  connection *connection = connections[socket];
  note_close(connection);
  connections[socket] = NULL;
  free(connection->output);
  free(connection);
  // Closing alone would not remove it while a process is being started that has a copy of it.
  epoll_ctl(queue, EPOLL_CTL_DEL, socket, NULL);
  close(socket);
}

// Sends what waits; returns false if the connection is to end.
static bool flush(int socket, connection *connection) {
  while (connection->sent < connection->end) {
    size_t rest = connection->end - connection->sent;
    ssize_t count = send(socket, connection->output + connection->sent, rest, MSG_NOSIGNAL);
    if (count < 0) break;
    connection->sent += (size_t)count;
  }
  bool is_empty = connection->sent == connection->end;
  if (is_empty) connection->sent = connection->end = 0;
  if (is_empty && connection->is_closed) return false;
  // A client that does not read must not make the output grow.
  bool is_full = connection->end - connection->sent > OUTPUT_LIMIT;
  if (connection->awaits_writing || !is_empty) {
    struct epoll_event event = {.events = (is_full ? 0 : EPOLLIN) | (is_empty ? 0 : EPOLLOUT), .data = {.fd = socket}};
    epoll_ctl(queue, EPOLL_CTL_MOD, socket, &event);
  }
  connection->awaits_writing = !is_empty;
  return true;
}

static void serve(int socket, uint32_t events) {
  connection *connection = connections[socket];
  bool is_alive = true;
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
    ssize_t count = recv(socket, input, INPUT - 1, 0);
    is_alive = count > 0;
    if (is_alive && connection->is_open) receive_frames(connection, input, (size_t)count);
    else if (is_alive) is_alive = receive_head(connection, (char *)input, (size_t)count);
  }
  if (!is_alive || !flush(socket, connection)) end(socket);
}

static void accept_all(void) {
  int socket, one = 1;
  while ((socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    if (socket >= DESCRIPTORS) {
      close(socket);
      continue;
    }
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    connections[socket] = calloc(1, sizeof(connection));
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = socket}};
    epoll_ctl(queue, EPOLL_CTL_ADD, socket, &event);
  }
}

static void *run(void *unused) {
  struct epoll_event events[256];
  for (;;) {
    int count = epoll_wait(queue, events, 256, -1);
    for (int index = 0; index < count; index++) {
      int descriptor = events[index].data.fd;
      if (descriptor == listener) accept_all();
      else serve(descriptor, events[index].events);
    }
  }
  return unused;
}

uint16_t echo_server_start(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  queue = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = listener}};
  pthread_t thread;
  bool is_ready = bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 4096) == 0 &&
                  getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
                  epoll_ctl(queue, EPOLL_CTL_ADD, listener, &event) == 0 &&
                  pthread_create(&thread, NULL, run, NULL) == 0;
  return is_ready ? ntohs(address.sin_port) : 0;
}

uint64_t echo_server_accepted(void) { return atomic_load(&accepted); }

uint64_t echo_server_closed(uint64_t *time) {
  uint64_t count = atomic_load(&closed);
  *time = atomic_load(&closed_at);
  return count;
}

uint64_t echo_server_dropped(void) { return atomic_load(&dropped); }

#else

uint16_t echo_server_start(void) { return 0; }
uint64_t echo_server_accepted(void) { return 0; }
uint64_t echo_server_closed(uint64_t *time) { return *time = 0; }
uint64_t echo_server_dropped(void) { return 0; }

#endif
