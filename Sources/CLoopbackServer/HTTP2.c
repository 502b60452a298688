#define _GNU_SOURCE

#include "HTTP2.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

// The layouts of nghttp2_frame_hd, nghttp2_goaway, nghttp2_nv, nghttp2_settings_entry and nghttp2_data_provider.
typedef struct {
  size_t length;
  int32_t stream;
  uint8_t type, flags, reserved;
} frame_head;
typedef struct {
  frame_head head;
  int32_t last;
  uint32_t code;
} goaway_frame;
typedef struct {
  const uint8_t *name, *value;
  size_t nameCount, valueCount;
  uint8_t flags;
} name_value;
typedef struct {
  int32_t id;
  uint32_t value;
} setting;
typedef union {
  int descriptor;
  void *pointer;
} data_source;
typedef ssize_t (*read_data)(
    void *session, int32_t stream, uint8_t *buffer, size_t capacity, uint32_t *flags, data_source *source, void *context);
typedef struct {
  data_source source;
  read_data read;
} data_provider;

typedef int (*on_field)(
    void *session, const frame_head *frame, const uint8_t *name, size_t nameCount, const uint8_t *value,
    size_t valueCount, uint8_t flags, void *context);
typedef int (*on_frame)(void *session, const frame_head *frame, void *context);
typedef int (*on_data)(
    void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context);
typedef int (*on_close)(void *session, int32_t stream, uint32_t code, void *context);

#define FUNCTIONS(F) \
  F(int, session_callbacks_new, (void **callbacks)) \
  F(void, session_callbacks_del, (void *callbacks)) \
  F(void, session_callbacks_set_on_header_callback, (void *callbacks, on_field function)) \
  F(void, session_callbacks_set_on_frame_recv_callback, (void *callbacks, on_frame function)) \
  F(void, session_callbacks_set_on_frame_send_callback, (void *callbacks, on_frame function)) \
  F(void, session_callbacks_set_on_data_chunk_recv_callback, (void *callbacks, on_data function)) \
  F(void, session_callbacks_set_on_stream_close_callback, (void *callbacks, on_close function)) \
  F(int, option_new, (void **options)) \
  F(void, option_del, (void *options)) \
  F(void, option_set_max_send_header_block_length, (void *options, size_t limit)) \
  F(void, option_set_no_auto_window_update, (void *options, int value)) \
  F(int, session_server_new2, (void **session, const void *callbacks, void *context, const void *options)) \
  F(void, session_del, (void *session)) \
  F(ssize_t, session_mem_recv, (void *session, const uint8_t *bytes, size_t count)) \
  F(ssize_t, session_mem_send, (void *session, const uint8_t **bytes)) \
  F(int, session_want_read, (void *session)) \
  F(int, session_want_write, (void *session)) \
  F(size_t, session_get_outbound_queue_size, (void *session)) \
  F(int, session_consume, (void *session, int32_t stream, size_t count)) \
  F(int, session_resume_data, (void *session, int32_t stream)) \
  F(int32_t, session_get_last_proc_stream_id, (void *session)) \
  F(int, submit_settings, (void *session, uint8_t flags, const setting *settings, size_t count)) \
  F(int32_t, submit_headers, (void *session, uint8_t flags, int32_t stream, const void *priority, const name_value *fields, size_t count, void *data)) \
  F(int, submit_response, (void *session, int32_t stream, const name_value *fields, size_t count, const data_provider *body)) \
  F(int, submit_trailer, (void *session, int32_t stream, const name_value *fields, size_t count)) \
  F(int, submit_rst_stream, (void *session, uint8_t flags, int32_t stream, uint32_t code)) \
  F(int, submit_goaway, (void *session, uint8_t flags, int32_t last, uint32_t code, const uint8_t *text, size_t count))

#define FUNCTION_POINTER(result, name, parameters) result(*name) parameters;

// Written once, before any access.
static struct {
  FUNCTIONS(FUNCTION_POINTER)
} nghttp2;
static char problem[200];
// NULL before nghttp2 1.57, which has no such limit, unless it has been patched.
static void (*limit_resets)(void *options, uint64_t burst, uint64_t rate);

static void find(void *library, const char *name, void **function) {
  *function = *problem ? NULL : dlsym(library, name);
  if (!*function && !*problem) snprintf(problem, sizeof problem, "libnghttp2 has no function %s", name);
}

#define FIND(result, name, parameters) find(library, "nghttp2_" #name, (void **)&nghttp2.name);

static void *open_library(void) {
  // As with OpenSSL, the functions of two copies would call each other.
  if (dlsym(RTLD_DEFAULT, "nghttp2_session_server_new2")) return RTLD_DEFAULT;
#ifdef __APPLE__
  void *library = dlopen("libnghttp2.14.dylib", RTLD_NOW | RTLD_LOCAL);
#else
  void *library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL);
#endif
  if (!library) snprintf(problem, sizeof problem, "libnghttp2 cannot be loaded: %s", dlerror());
  return library;
}

static void load(void) {
  void *library = open_library();
  FUNCTIONS(FIND)
  if (!*problem) *(void **)&limit_resets = dlsym(library, "nghttp2_option_set_stream_reset_rate_limit");
}

bool cloopback_http2_load(char *error, size_t capacity) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  if (*problem) snprintf(error, capacity, "%s", problem);
  return !*problem;
}

struct cloopback_http2 {
  cloopback_http2_handler handler;
  void *session;
  bool hasFailed;
};

enum { HEADERS = 1, DATA = 0, END_STREAM = 1, MAX_STREAMS = 3, INITIAL_WINDOW = 4 };

// MARK: - What nghttp2 calls

static int receive_field(
    void *session, const frame_head *frame, const uint8_t *name, size_t nameCount, const uint8_t *value,
    size_t valueCount, uint8_t flags, void *context) {
  (void)session, (void)flags;
  const cloopback_http2_handler *handler = &((cloopback_http2 *)context)->handler;
  handler->field(handler->context, frame->stream, (cloopback_text){name, nameCount}, (cloopback_text){value, valueCount});
  return 0;
}

static int receive_frame(void *session, const frame_head *frame, void *context) {
  (void)session;
  const cloopback_http2_handler *handler = &((cloopback_http2 *)context)->handler;
  if (frame->type == HEADERS) handler->head(handler->context, frame->stream);
  if ((frame->type == HEADERS || frame->type == DATA) && frame->flags & END_STREAM)
    handler->end(handler->context, frame->stream);
  return 0;
}

static int send_frame(void *session, const frame_head *frame, void *context) {
  enum { GOAWAY = 7 };
  (void)session;
  const cloopback_http2_handler *handler = &((cloopback_http2 *)context)->handler;
  if (frame->type == GOAWAY) handler->goneAway(handler->context, ((const goaway_frame *)frame)->code);
  return 0;
}

static int receive_data(void *session, uint8_t flags, int32_t stream, const uint8_t *bytes, size_t count, void *context) {
  (void)session, (void)flags;
  const cloopback_http2_handler *handler = &((cloopback_http2 *)context)->handler;
  handler->data(handler->context, stream, (cloopback_text){bytes, count});
  return 0;
}

static int close_stream(void *session, int32_t stream, uint32_t code, void *context) {
  (void)session;
  const cloopback_http2_handler *handler = &((cloopback_http2 *)context)->handler;
  handler->closed(handler->context, stream, code);
  return 0;
}

static ssize_t read_body(
    void *session, int32_t stream, uint8_t *buffer, size_t capacity, uint32_t *flags, data_source *source, void *context) {
  enum { END_OF_BODY = 1, STREAM_STAYS_OPEN = 2, DEFERRED = -508 };
  (void)session, (void)source;
  const cloopback_http2_handler *handler = &((cloopback_http2 *)context)->handler;
  int next = CLOOPBACK_MORE;
  size_t count = handler->body(handler->context, stream, buffer, capacity, &next);
  if (!count && next == CLOOPBACK_MORE) return DEFERRED;
  if (next == CLOOPBACK_LAST) *flags |= END_OF_BODY;
  if (next == CLOOPBACK_TRAILERS) *flags |= END_OF_BODY | STREAM_STAYS_OPEN;
  return (ssize_t)count;
}

// MARK: - A connection

static void *make_session(cloopback_http2 *connection) {
  enum { HEAD_LIMIT = 1 << 24 };
  void *callbacks = NULL, *options = NULL, *session = NULL;
  if (nghttp2.session_callbacks_new(&callbacks) != 0) return NULL;
  if (nghttp2.option_new(&options) != 0) {
    nghttp2.session_callbacks_del(callbacks);
    return NULL;
  }
  // Otherwise the head of a response with more than 64 KiB is dropped.
  nghttp2.option_set_max_send_header_block_length(options, HEAD_LIMIT);
  nghttp2.option_set_no_auto_window_update(options, 1);
  // After 1,000 resets the server would leave the connection, and process a request or two that it disowns: its
  // clients are under test, and libcurl 7.88 resets each stream whose response has no body.
  if (limit_resets) limit_resets(options, UINT32_MAX, UINT32_MAX);
  nghttp2.session_callbacks_set_on_header_callback(callbacks, receive_field);
  nghttp2.session_callbacks_set_on_frame_recv_callback(callbacks, receive_frame);
  nghttp2.session_callbacks_set_on_frame_send_callback(callbacks, send_frame);
  nghttp2.session_callbacks_set_on_data_chunk_recv_callback(callbacks, receive_data);
  nghttp2.session_callbacks_set_on_stream_close_callback(callbacks, close_stream);
  int result = nghttp2.session_server_new2(&session, callbacks, connection, options);
  nghttp2.option_del(options);
  nghttp2.session_callbacks_del(callbacks);
  return result == 0 ? session : NULL;
}

cloopback_http2 *cloopback_http2_make(const cloopback_http2_handler *handler, uint32_t streams, uint32_t window) {
  char error[1];
  cloopback_http2 *connection = cloopback_http2_load(error, sizeof error) ? calloc(1, sizeof *connection) : NULL;
  if (!connection) return NULL;
  connection->handler = *handler;
  connection->session = make_session(connection);
  if (connection->session) {
    const setting settings[] = {{MAX_STREAMS, streams}, {INITIAL_WINDOW, window > INT32_MAX ? INT32_MAX : window}};
    if (nghttp2.submit_settings(connection->session, 0, settings, 2) == 0) return connection;
    nghttp2.session_del(connection->session);
  }
  free(connection);
  return NULL;
}

void cloopback_http2_free(cloopback_http2 *connection) {
  nghttp2.session_del(connection->session);
  free(connection);
}

void cloopback_http2_receive(cloopback_http2 *connection, const uint8_t *bytes, size_t count) {
  connection->hasFailed = nghttp2.session_mem_recv(connection->session, bytes, count) != (ssize_t)count;
}

cloopback_text cloopback_http2_send(cloopback_http2 *connection) {
  cloopback_text text = {0};
  ssize_t count = nghttp2.session_mem_send(connection->session, &text.bytes);
  if (count > 0) text.count = (size_t)count;
  if (count < 0) connection->hasFailed = true;
  return text;
}

bool cloopback_http2_has_frames(cloopback_http2 *connection) {
  return !connection->hasFailed && nghttp2.session_get_outbound_queue_size(connection->session) > 0;
}

void cloopback_http2_consume(cloopback_http2 *connection, int32_t stream, size_t count) {
  nghttp2.session_consume(connection->session, stream, count);
}

bool cloopback_http2_is_over(cloopback_http2 *connection) {
  return connection->hasFailed ||
         (!nghttp2.session_want_read(connection->session) && !nghttp2.session_want_write(connection->session));
}

// Calls `use` with the fields in nghttp2's layout.
#define WITH_FIELDS(use) \
  name_value *list = calloc(count + 1, sizeof *list); \
  if (!list) return; \
  for (size_t index = 0; index < count; index++) { \
    const cloopback_field *field = &fields[index]; \
    list[index] = (name_value){field->name.bytes, field->value.bytes, field->name.count, field->value.count, 0}; \
  } \
  use; \
  free(list);

void cloopback_http2_inform(cloopback_http2 *connection, int32_t stream, const cloopback_field *fields, size_t count) {
  WITH_FIELDS(nghttp2.submit_headers(connection->session, 0, stream, NULL, list, count, NULL))
}

void cloopback_http2_respond(
    cloopback_http2 *connection, int32_t stream, const cloopback_field *fields, size_t count, bool hasBody) {
  const data_provider body = {.read = read_body};
  WITH_FIELDS(nghttp2.submit_response(connection->session, stream, list, count, hasBody ? &body : NULL))
}

void cloopback_http2_trail(cloopback_http2 *connection, int32_t stream, const cloopback_field *fields, size_t count) {
  WITH_FIELDS(nghttp2.submit_trailer(connection->session, stream, list, count))
}

void cloopback_http2_resume(cloopback_http2 *connection, int32_t stream) {
  nghttp2.session_resume_data(connection->session, stream);
}

void cloopback_http2_reset(cloopback_http2 *connection, int32_t stream, uint32_t code) {
  nghttp2.submit_rst_stream(connection->session, 0, stream, code);
}

void cloopback_http2_go_away(cloopback_http2 *connection, int32_t last, uint32_t code) {
  if (last < 0) last = nghttp2.session_get_last_proc_stream_id(connection->session);
  // The streams of clients have odd numbers.
  if (last > 0 && last % 2 == 0) last--;
  nghttp2.submit_goaway(connection->session, 0, last, code, NULL, 0);
}

void cloopback_http2_limit_streams(cloopback_http2 *connection, uint32_t streams) {
  const setting settings[] = {{MAX_STREAMS, streams}};
  nghttp2.submit_settings(connection->session, 0, settings, 1);
}
