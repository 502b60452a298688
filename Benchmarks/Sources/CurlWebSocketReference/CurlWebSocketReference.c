#define _GNU_SOURCE
#include "CurlWebSocketReference.h"

#ifdef __linux__

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>

// The constants of curl.h that are used here, so that libcurl's development package is not needed.
enum {
  OPT_URL = 10002, OPT_NOSIGNAL = 99, OPT_CONNECT_ONLY = 141, OPT_HTTP_VERSION = 84, OPT_PROXY = 10004,
  OPT_SHARE = 10100, OPT_PRIVATE = 10103, OPT_BUFFERSIZE = 98, INFO_PRIVATE = 0x100015,
  INFO_ACTIVESOCKET = 0x50002C, SHOPT_SHARE = 1, LOCK_DATA_CONNECT = 5, HTTP_VERSION_1_1 = 2, E_AGAIN = 81,
};
enum { OPENING_AT_ONCE = 64, ROOM = 64 << 10, BINARY = 2, PING = 9 };

typedef struct {
  int msg;
  void *easy;
  union { void *whatever; int result; } data;
} message;

typedef struct {
  void *easy, *share;
  int socket;
  bool is_open, awaits_writing;
  uint8_t *input, *output;
  size_t used, received, input_capacity, sent, end, output_capacity;
} websocket;

static struct {
  void *(*easy_init)(void), *(*multi_init)(void), *(*share_init)(void);
  int (*easy_setopt)(void *, int, ...), (*easy_getinfo)(void *, int, ...), (*share_setopt)(void *, int, ...);
  int (*easy_send)(void *, const void *, size_t, size_t *), (*easy_recv)(void *, void *, size_t, size_t *);
  int (*multi_add_handle)(void *, void *), (*multi_perform)(void *, int *);
  int (*multi_poll)(void *, void *, unsigned, int, int *);
  message *(*multi_info_read)(void *, int *);
} curl;

// Of the calling thread, because several threads may hold sockets.
static _Thread_local void *multi;
static _Thread_local int queue;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool load(void) {
  void *library = dlopen("libcurl.so.4", RTLD_NOW);
  if (!library) return false;
  curl.easy_init = dlsym(library, "curl_easy_init");
  curl.easy_setopt = dlsym(library, "curl_easy_setopt");
  curl.easy_getinfo = dlsym(library, "curl_easy_getinfo");
  curl.easy_send = dlsym(library, "curl_easy_send");
  curl.easy_recv = dlsym(library, "curl_easy_recv");
  curl.share_init = dlsym(library, "curl_share_init");
  curl.share_setopt = dlsym(library, "curl_share_setopt");
  curl.multi_init = dlsym(library, "curl_multi_init");
  curl.multi_add_handle = dlsym(library, "curl_multi_add_handle");
  curl.multi_perform = dlsym(library, "curl_multi_perform");
  curl.multi_poll = dlsym(library, "curl_multi_poll");
  curl.multi_info_read = dlsym(library, "curl_multi_info_read");
  multi = curl.multi_init();
  queue = epoll_create1(EPOLL_CLOEXEC);
  return true;
}

// Makes room for `count` bytes after the end, where the next ones go.
static uint8_t *reserve(uint8_t **bytes, size_t *start, size_t *end, size_t *capacity, size_t count) {
  if (*start == *end) *start = *end = 0;
  if (*end + count > *capacity && *start > 0) {
    memmove(*bytes, *bytes + *start, *end - *start);
    *end -= *start;
    *start = 0;
  }
  if (*end + count > *capacity) *bytes = realloc(*bytes, *capacity = *end + count);
  return *bytes + *end;
}

static uint8_t *reserve_output(websocket *socket, size_t count) {
  return reserve(&socket->output, &socket->sent, &socket->end, &socket->output_capacity, count);
}

static bool flush(websocket *socket) {
  int code = 0;
  while (socket->sent < socket->end) {
    size_t count = 0;
    code = curl.easy_send(socket->easy, socket->output + socket->sent, socket->end - socket->sent, &count);
    if (code != 0) break;
    socket->sent += count;
  }
  if (code != 0 && code != E_AGAIN) return false;
  bool is_empty = socket->sent == socket->end;
  if (is_empty == socket->awaits_writing) {
    struct epoll_event event = {.events = EPOLLIN | (is_empty ? 0 : EPOLLOUT), .data = {.ptr = socket}};
    epoll_ctl(queue, EPOLL_CTL_MOD, socket->socket, &event);
    socket->awaits_writing = !is_empty;
  }
  return true;
}

static void append_frame(websocket *socket, uint8_t opcode, const uint8_t *payload, size_t size) {
  uint8_t *frame = reserve_output(socket, size + 14), *next = frame;
  int length_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
  *next++ = 0x80 | opcode;
  *next++ = 0x80 | (length_bytes == 0 ? (uint8_t)size : length_bytes == 2 ? 126 : 127);
  for (int index = length_bytes - 1; index >= 0; index--) *next++ = (uint8_t)(size >> (8 * index));
  static uint32_t key = 0x9a3c51f7;
  key = key * 1664525 + 1013904223;
  memcpy(next, &key, 4);
  next += 4;
  uint64_t mask = (uint64_t)key << 32 | key, word;
  size_t index = 0;
  for (; index + 8 <= size; index += 8) {
    memcpy(&word, payload + index, 8);
    word ^= mask;
    memcpy(next + index, &word, 8);
  }
  for (; index < size; index++) next[index] = payload[index] ^ (uint8_t)(mask >> (8 * (index & 3)));
  socket->end += (size_t)(next - frame) + size;
}

// Starts to connect. With a share of its own, each connection has a pool of its own, which libcurl does not
// have to search.
static websocket *start(const char *url) {
  websocket *socket = calloc(1, sizeof *socket);
  socket->socket = -1;
  socket->easy = curl.easy_init();
  socket->share = curl.share_init();
  curl.share_setopt(socket->share, SHOPT_SHARE, LOCK_DATA_CONNECT);
  curl.easy_setopt(socket->easy, OPT_URL, url);
  curl.easy_setopt(socket->easy, OPT_CONNECT_ONLY, 1L);
  curl.easy_setopt(socket->easy, OPT_HTTP_VERSION, (long)HTTP_VERSION_1_1);
  curl.easy_setopt(socket->easy, OPT_PROXY, "");
  curl.easy_setopt(socket->easy, OPT_NOSIGNAL, 1L);
  curl.easy_setopt(socket->easy, OPT_BUFFERSIZE, 512L << 10);
  curl.easy_setopt(socket->easy, OPT_SHARE, socket->share);
  curl.easy_setopt(socket->easy, OPT_PRIVATE, socket);
  curl.multi_add_handle(multi, socket->easy);
  return socket;
}

static bool send_handshake(websocket *socket) {
  static const char request[] =
      "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
  int descriptor = -1;
  curl.easy_getinfo(socket->easy, INFO_ACTIVESOCKET, &descriptor);
  if (descriptor < 0) return false;
  socket->socket = descriptor;
  struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = socket}};
  epoll_ctl(queue, EPOLL_CTL_ADD, socket->socket, &event);
  memcpy(reserve_output(socket, sizeof request - 1), request, sizeof request - 1);
  socket->end += sizeof request - 1;
  return flush(socket);
}

// Connects the sockets that have been started; returns false if one fails.
static bool connect_all(int count) {
  while (count > 0) {
    int running, queued;
    curl.multi_perform(multi, &running);
    for (message *done; (done = curl.multi_info_read(multi, &queued)); count--) {
      websocket *socket;
      curl.easy_getinfo(done->easy, INFO_PRIVATE, &socket);
      if (done->data.result != 0 || !send_handshake(socket)) return false;
    }
    if (count > 0) curl.multi_poll(multi, NULL, 0, 1000, NULL);
  }
  return true;
}

// Reads what has arrived until there is no more; returns the number of messages in it, or -1 at the end of the
// connection.
static int64_t receive(websocket *socket) {
  int64_t messages = 0;
  for (;;) {
    size_t count = 0;
    uint8_t *room =
        reserve(&socket->input, &socket->used, &socket->received, &socket->input_capacity, ROOM);
    size_t size = socket->input_capacity - socket->received;
    int code = curl.easy_recv(socket->easy, room, size, &count);
    if (code == E_AGAIN) return messages;
    if (code != 0 || count == 0) return -1;
    socket->received += count;
    while (socket->used < socket->received) {
      const uint8_t *frame = socket->input + socket->used;
      size_t available = socket->received - socket->used, length = 2;
      if (!socket->is_open) {
        const uint8_t *end = memmem(frame, available, "\r\n\r\n", 4);
        if (!end) break;
        socket->used += (size_t)(end - frame) + 4;
        socket->is_open = true;
        continue;
      }
      if (available < 2) break;
      uint64_t payload = frame[1];
      int length_bytes = payload < 126 ? 0 : payload == 126 ? 2 : 8;
      if (available < 2 + (size_t)length_bytes) break;
      if (length_bytes) payload = 0;
      for (int index = 0; index < length_bytes; index++) payload = payload << 8 | frame[length++];
      if (available < length + payload) {
        reserve(&socket->input, &socket->used, &socket->received, &socket->input_capacity,
                length + payload - available);
        break;
      }
      socket->used += length + payload;
      if ((frame[0] & 15) <= BINARY) messages++;
    }
  }
}

uint64_t curl_websocket_reference_echo(const char *url, size_t size, int in_flight, double seconds) {
  if (!load()) return 0;
  websocket *socket = start(url);
  if (!connect_all(1)) return 0;
  uint8_t *payload = malloc(size);
  memset(payload, 'a', size);
  uint64_t messages = 0;
  bool has_begun = false;
  for (double end = now() + seconds; now() < end;) {
    struct epoll_event event;
    if (epoll_wait(queue, &event, 1, 100) < 1) continue;
    int64_t count = event.events & ~(uint32_t)EPOLLOUT ? receive(socket) : 0;
    if (count < 0) break;
    messages += (uint64_t)count;
    if (socket->is_open && !has_begun) count = in_flight;
    has_begun = socket->is_open;
    for (int64_t index = 0; index < count; index++) append_frame(socket, BINARY, payload, size);
    if (!flush(socket)) break;
  }
  free(payload);
  return messages;
}

void curl_websocket_reference_hold(const char *url, int count, void (*opened)(void)) {
  if (!load()) return;
  websocket **sockets = calloc((size_t)count, sizeof *sockets);
  for (int index = 0; index < count;) {
    int first = index;
    while (index < count && index - first < OPENING_AT_ONCE) sockets[index++] = start(url);
    if (!connect_all(index - first)) return;
  }
  int waiting = count;
  for (double ping = now() + 30;;) {
    struct epoll_event events[256];
    int ready = epoll_wait(queue, events, 256, (int)((ping - now()) * 1000) + 1);
    for (int index = 0; index < ready; index++) {
      websocket *socket = events[index].data.ptr;
      bool was_open = socket->is_open;
      if (receive(socket) < 0) return;
      // An idle socket needs no room.
      if (socket->used == socket->received) {
        free(socket->input);
        socket->input = NULL;
        socket->used = socket->received = socket->input_capacity = 0;
      }
      if (!was_open && socket->is_open && --waiting == 0) opened();
    }
    if (now() < ping) continue;
    for (int index = 0; index < count; index++) {
      append_frame(sockets[index], PING, NULL, 0);
      if (!flush(sockets[index])) return;
    }
    ping = now() + 30;
  }
}

#else

uint64_t curl_websocket_reference_echo(const char *url, size_t size, int in_flight, double seconds) { return 0; }
void curl_websocket_reference_hold(const char *url, int count, void (*opened)(void)) {}

#endif
