/*
 * The load of the bench: requests on kept connections, and streams whose frames are counted. One thread with epoll, so that the server
 * under measurement is the limit (docs/benchmarks.md). load-program.ts builds it and says what the arguments are.
 *
 * A request that holds "@@T" and 16 digits gets the time at which it is sent there, and a frame that holds it says how long it took.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define MARK "@@T"
#define MARK_LENGTH 3
#define STAMP_LENGTH 16
#define STAMPED (MARK_LENGTH + STAMP_LENGTH)
#define HEAD_MAX 16384

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static int64_t now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* Microseconds, exact up to 127 and then with an error below two percent. */
typedef struct {
  uint64_t count[64 * 128];
  uint64_t total;
  int64_t most;
} Histogram;

static int slot_of(int64_t us) {
  if (us < 128) return us < 0 ? 0 : (int)us;
  int shift = 63 - __builtin_clzll((uint64_t)us) - 6;
  return shift * 64 + (int)(us >> shift);
}

static int64_t value_of(int slot) {
  if (slot < 128) return slot;
  int shift = (slot - 64) / 64;
  return ((int64_t)(slot - shift * 64)) << shift;
}

static void record(Histogram *h, int64_t us) {
  h->count[slot_of(us)]++;
  h->total++;
  if (us > h->most) h->most = us;
}

static int64_t percentile(const Histogram *h, double share) {
  uint64_t wanted = (uint64_t)(h->total * share), seen = 0;
  for (int slot = 0; slot < 64 * 128; slot++) {
    seen += h->count[slot];
    if (seen > wanted) return value_of(slot);
  }
  return h->most;
}

static void print_latency(const char *name, const Histogram *h) {
  printf("\"%s\":{\"p50Us\":%lld,\"p99Us\":%lld,\"p999Us\":%lld,\"maxUs\":%lld}", name, (long long)percentile(h, 0.5),
         (long long)percentile(h, 0.99), (long long)percentile(h, 0.999), (long long)h->most);
}

typedef struct {
  char *bytes;
  size_t length;
} Text;

/* A chunk ends with the end of a line, which counts with it. */
typedef enum { HEAD, BODY, CHUNK_SIZE, CHUNK, TRAILER } Part;

typedef struct {
  int fd;
  bool is_stream;
  /* A publisher's request: when it was due and what is still to be sent. */
  bool is_waiting;
  int64_t due;
  Text request;
  char *stamp;
  size_t sent;
  /* A reply that is being read. */
  Part part;
  bool is_failure;
  uint64_t left;
  size_t held;
  uint64_t bytes;
  /* The head or a line so far; for a stream, the end of what was received. */
  char head[HEAD_MAX];
} Connection;

static struct {
  int port, streams, connections, warm_up_ms, duration_ms;
  double rate;
  bool is_nats;
  Text request, greeting, opening;
  const char *greeted, *opened;
} options;

static int epoll_fd;
static int64_t start_us, end_us, next_due;
static double interval_us;
static uint64_t replies, failures, reply_bytes, frames, sent_count;
static Histogram reply_latency, frame_latency;
static Connection **idle;
static int idle_count;
static Text chunk;

static bool in_window(int64_t at) { return at >= start_us && at < end_us; }

static void watch(Connection *c, bool wants_write) {
  struct epoll_event event = {.events = EPOLLIN | (wants_write ? EPOLLOUT : 0), .data.ptr = c};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, c->fd, &event) != 0) fail("epoll_ctl");
}

static void flush_request(Connection *c) {
  while (c->sent < c->request.length) {
    ssize_t n = send(c->fd, c->request.bytes + c->sent, c->request.length - c->sent, MSG_NOSIGNAL);
    if (n < 0 && errno == EAGAIN) return watch(c, true);
    if (n < 0) fail("send");
    c->sent += (size_t)n;
  }
}

static void begin_request(Connection *c, int64_t due) {
  c->is_waiting = true;
  c->due = due;
  c->sent = 0;
  c->bytes = 0;
  c->part = HEAD;
  c->held = 0;
  if (c->stamp != NULL) {
    char digits[STAMP_LENGTH + 1];
    snprintf(digits, sizeof digits, "%016lld", (long long)due);
    memcpy(c->stamp, digits, STAMP_LENGTH);
  }
  flush_request(c);
}

/* With a rate, a request that cannot be sent when it is due counts from then on. */
static void send_due(int64_t now) {
  while (interval_us > 0 && next_due <= now && idle_count > 0) {
    int64_t due = next_due;
    next_due = start_us + (int64_t)(interval_us * (double)(++sent_count));
    begin_request(idle[--idle_count], due);
  }
}

static void end_reply(Connection *c, int64_t now) {
  c->is_waiting = false;
  if (in_window(c->due) && now <= end_us) {
    if (c->is_failure) failures++;
    else {
      replies++;
      reply_bytes += c->bytes;
      record(&reply_latency, now - c->due);
    }
  }
  if (interval_us == 0) begin_request(c, now_us());
  else idle[idle_count++] = c;
}

/* The value of a header, or NULL. `name` begins with the end of the line before. */
static const char *header(const char *head, const char *name) {
  const char *found = strcasestr(head, name);
  return found == NULL ? NULL : found + strlen(name) + strspn(found + strlen(name), " ");
}

static void read_head(Connection *c) {
  const char *coding = header(c->head, "\r\ntransfer-encoding:"), *length = header(c->head, "\r\ncontent-length:");
  bool is_chunked = coding != NULL && strncasecmp(coding, "chunked", 7) == 0;
  c->is_failure = c->head[9] != '2';
  c->part = is_chunked ? CHUNK_SIZE : BODY;
  c->left = is_chunked || length == NULL ? 0 : strtoull(length, NULL, 10);
}

/* Adds to the head until `end` is there. Returns how many bytes it took; *is_complete if the end was among them. */
static size_t take_until(Connection *c, const char *data, size_t length, const char *end, bool *is_complete) {
  size_t end_length = strlen(end);
  for (size_t i = 0; i < length; i++) {
    if (c->held + 1 >= HEAD_MAX) fail("a line is too long");
    c->head[c->held++] = data[i];
    if (c->held >= end_length && memcmp(c->head + c->held - end_length, end, end_length) == 0) {
      c->head[c->held] = 0;
      c->held = 0;
      *is_complete = true;
      return i + 1;
    }
  }
  return length;
}

static void read_http(Connection *c, const char *data, size_t length, int64_t now) {
  c->bytes += length;
  while (length > 0) {
    bool is_complete = false;
    size_t taken = 0;
    switch (c->part) {
      case HEAD:
        taken = take_until(c, data, length, "\r\n\r\n", &is_complete);
        if (is_complete) read_head(c);
        break;
      case CHUNK_SIZE:
        taken = take_until(c, data, length, "\r\n", &is_complete);
        if (is_complete) {
          c->left = strtoull(c->head, NULL, 16) + 2;
          c->part = c->left == 2 ? TRAILER : CHUNK;
        }
        break;
      case TRAILER:
        taken = take_until(c, data, length, "\r\n", &is_complete);
        if (is_complete && strcmp(c->head, "\r\n") == 0) return end_reply(c, now);
        break;
      case BODY:
      case CHUNK:
        taken = c->left < length ? c->left : length;
        c->left -= taken;
        if (c->part == CHUNK && c->left == 0) c->part = CHUNK_SIZE;
        break;
    }
    data += taken;
    length -= taken;
    if (c->part == BODY && c->left == 0) return end_reply(c, now);
  }
}

static void read_nats(Connection *c, const char *data, size_t length, int64_t now) {
  while (length > 0) {
    bool is_complete = false;
    size_t taken = take_until(c, data, length, "\r\n", &is_complete);
    data += taken;
    length -= taken;
    if (!is_complete) return;
    if (strncmp(c->head, "PING", 4) == 0) {
      if (send(c->fd, "PONG\r\n", 6, MSG_NOSIGNAL) != 6) fail("pong");
    } else if (c->is_waiting && (strncmp(c->head, "+OK", 3) == 0 || strncmp(c->head, "-ERR", 4) == 0)) {
      c->is_failure = c->head[0] == '-';
      end_reply(c, now);
    }
  }
}

/* Counts the stamps in what a stream received; one may be split between two reads. */
static void read_frames(Connection *c, char *data, size_t length, int64_t now) {
  memcpy(data - c->held, c->head, c->held);
  char *at = data - c->held, *end = data + length;
  for (;;) {
    char *found = memmem(at, (size_t)(end - at), MARK, MARK_LENGTH);
    if (found == NULL || found + STAMPED > end) {
      size_t rest = found != NULL ? (size_t)(end - found) : (size_t)(end - at) < MARK_LENGTH - 1 ? (size_t)(end - at) : MARK_LENGTH - 1;
      memcpy(c->head, end - rest, rest);
      c->held = rest;
      return;
    }
    if (in_window(now)) {
      frames++;
      record(&frame_latency, now - strtoll(found + MARK_LENGTH, NULL, 10));
    }
    at = found + STAMPED;
  }
}

static void on_event(Connection *c, uint32_t events) {
  if (events & EPOLLOUT) {
    watch(c, false);
    flush_request(c);
  }
  if (!(events & (EPOLLIN | EPOLLHUP | EPOLLERR))) return;
  char *data = chunk.bytes + STAMPED;
  ssize_t n = recv(c->fd, data, chunk.length - STAMPED, 0);
  if (n < 0 && errno == EAGAIN) return;
  if (n <= 0) fail(c->is_stream ? "the server ended a stream" : "the server ended a connection");
  int64_t now = now_us();
  if (c->is_stream) read_frames(c, data, (size_t)n, now);
  else if (options.is_nats) read_nats(c, data, (size_t)n, now);
  else read_http(c, data, (size_t)n, now);
}

static void say(int fd, Text text, const char *answer) {
  size_t held = 0;
  for (size_t sent = 0; sent < text.length;) {
    ssize_t n = send(fd, text.bytes + sent, text.length - sent, MSG_NOSIGNAL);
    if (n < 0) fail("send");
    sent += (size_t)n;
  }
  while (memmem(chunk.bytes, held, answer, strlen(answer)) == NULL) {
    ssize_t n = recv(fd, chunk.bytes + held, chunk.length - held, 0);
    if (n <= 0) fail("the server did not open a connection");
    held += (size_t)n;
  }
}

static Connection *open_connection(bool is_stream) {
  Connection *c = calloc(1, sizeof *c);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)options.port)};
  int on = 1;
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  c->fd = socket(AF_INET, SOCK_STREAM, 0);
  if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&address, sizeof address) != 0) fail("connect");
  setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  c->is_stream = is_stream;
  Text text = is_stream ? options.opening : options.greeting;
  if (text.length > 0) say(c->fd, text, is_stream ? options.opened : options.greeted);
  if (!is_stream) {
    c->request.length = options.request.length;
    c->request.bytes = malloc(c->request.length);
    memcpy(c->request.bytes, options.request.bytes, c->request.length);
    char *mark = memmem(c->request.bytes, c->request.length, MARK, MARK_LENGTH);
    c->stamp = mark == NULL ? NULL : mark + MARK_LENGTH;
  }
  fcntl(c->fd, F_SETFL, O_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
  if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event) != 0) fail("epoll_ctl");
  return c;
}

static Text read_text(size_t length) {
  Text text = {.bytes = malloc(length + 1), .length = length};
  if (text.bytes == NULL || fread(text.bytes, 1, length, stdin) != length) fail("standard input is too short");
  text.bytes[length] = 0;
  return text;
}

int main(int count, char **given) {
  if (count != 13) return 2;
  options.is_nats = strcmp(given[1], "nats") == 0;
  options.port = atoi(given[2]);
  options.connections = atoi(given[3]);
  options.streams = atoi(given[4]);
  options.warm_up_ms = atoi(given[5]);
  options.duration_ms = atoi(given[6]);
  options.rate = atof(given[7]);
  options.greeted = given[8];
  options.opened = given[9];
  options.request = read_text((size_t)atol(given[10]));
  options.greeting = read_text((size_t)atol(given[11]));
  options.opening = read_text((size_t)atol(given[12]));
  chunk = (Text){.bytes = malloc(1 << 18), .length = 1 << 18};
  epoll_fd = epoll_create1(0);
  idle = calloc((size_t)options.connections + 1, sizeof *idle);
  for (int n = 0; n < options.streams; n++) open_connection(true);
  for (int n = 0; n < options.connections; n++) idle[idle_count++] = open_connection(false);

  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event tick = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(epoll_fd, EPOLL_CTL_ADD, timer, &tick);
  interval_us = options.rate > 0 ? 1e6 / options.rate : 0;
  /* Nothing is counted until the warm-up is over. */
  start_us = next_due = now_us();
  int64_t turn = start_us + (int64_t)options.warm_up_ms * 1000;
  if (interval_us == 0)
    while (idle_count > 0) begin_request(idle[--idle_count], start_us);
  struct epoll_event events[256];
  for (;;) {
    int64_t now = now_us();
    if (now >= turn && end_us > 0) break;
    if (now >= turn) {
      start_us = next_due = now;
      end_us = turn = now + (int64_t)options.duration_ms * 1000;
      sent_count = 0;
      puts("measuring");
      fflush(stdout);
    }
    send_due(now);
    int64_t wake = interval_us > 0 && idle_count > 0 && next_due < turn ? next_due : turn;
    struct itimerspec at = {.it_value = {.tv_sec = wake / 1000000, .tv_nsec = wake % 1000000 * 1000}};
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
    int ready = epoll_wait(epoll_fd, events, 256, -1);
    if (ready < 0 && errno != EINTR) fail("epoll_wait");
    for (int n = 0; n < ready; n++) {
      uint64_t ticks;
      if (events[n].data.ptr != NULL) on_event(events[n].data.ptr, events[n].events);
      else if (read(timer, &ticks, sizeof ticks) < 0 && errno != EAGAIN) fail("timer");
    }
  }
  double seconds = options.duration_ms / 1000.0;
  printf("{\"perSecond\":%.1f,\"failed\":%llu,\"bytes\":%.1f,\"framesPerSecond\":%.1f,", replies / seconds,
         (unsigned long long)failures, replies == 0 ? 0 : (double)reply_bytes / replies, frames / seconds);
  print_latency("reply", &reply_latency);
  printf(",");
  print_latency("frame", &frame_latency);
  printf("}\n");
  return 0;
}
