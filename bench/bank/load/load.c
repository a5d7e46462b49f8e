/*
 * The load for the bank. This program itself uses so little CPU time that the measured cost is the bank's.
 *
 *   load PORT closed CONNECTIONS KEEP_ALIVE SECONDS    each connection sends the next write after the response
 *   load PORT challenge RAMP_SECONDS HOLD_SECONDS      "Rinha de Backend 2024/Q1", with one connection per request
 *
 * Prints the result as one line of JSON. Runs on Linux only.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { answer_bytes_max = 8192, connections_max = 4096, latencies_max = 20 * 1000 * 1000 };
enum kind { debit, credit, statement };

struct connection {
  int fd;
  enum kind kind;
  double started_at;
  size_t received;
  char answer[answer_bytes_max];
};

static struct sockaddr_in target;
static int poller;
static bool keeps_alive;
static struct connection connections[connections_max];
static int free_connections[connections_max], free_count;
static float *latencies;
static long requests, errors, overdrawn, unsent;
static uint64_t random_state = 88172645463325252ull;

static void quit(const char *what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

/* xorshift64, which produces the same sequence of requests every time. */
static unsigned random_below(unsigned limit) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state % limit;
}

static int request_text(enum kind kind, char *text, size_t size) {
  char body[128], description[11] = "";
  unsigned client = 1 + random_below(5);
  if (kind == statement) return snprintf(text, size, "GET /clientes/%u/extrato HTTP/1.1\r\nHost: bank\r\n\r\n", client);
  for (int at = 0; at < 10; at++) description[at] = "abcdefghijklmnopqrstuvwxyz0123456789"[random_below(36)];
  int length = snprintf(body, sizeof body, "{\"valor\":%u,\"tipo\":\"%s\",\"descricao\":\"%s\"}", 1 + random_below(10000),
                        kind == debit ? "d" : "c", description);
  return snprintf(text, size,
                  "POST /clientes/%u/transacoes HTTP/1.1\r\nHost: bank\r\nContent-Type: application/json\r\n"
                  "Content-Length: %d\r\n\r\n%s", client, length, body);
}

static void open_connection(struct connection *connection) {
  int on = 1;
  connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (connection->fd < 0) quit("socket");
  setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(connection->fd, (struct sockaddr *)&target, sizeof target) < 0 && errno != EINPROGRESS) quit("connect");
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = connection};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, connection->fd, &event) < 0) quit("epoll_ctl");
}

static void watch(struct connection *connection, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = connection};
  epoll_ctl(poller, EPOLL_CTL_MOD, connection->fd, &event);
}

/* A request fits into the socket's buffer, so it is never written in parts. */
static bool send_request(struct connection *connection) {
  char text[512];
  int length = request_text(connection->kind, text, sizeof text);
  connection->received = 0;
  return send(connection->fd, text, length, MSG_NOSIGNAL) == length;
}

static long number_after(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? strtol(found + strlen(name) + strspn(found + strlen(name), " :"), NULL, 10) : 0;
}

/* The challenge accepts 200, and 422 for a debit. */
static void check_answer(struct connection *connection, const char *body) {
  int status = atoi(connection->answer + 9);
  if (status != 200 && !(status == 422 && connection->kind == debit)) errors++;
  if (status != 200) return;
  long balance = number_after(body, connection->kind == statement ? "\"total\"" : "\"saldo\"");
  if (balance < -number_after(body, "\"limite\"")) overdrawn++;
}

/* Returns 1 if the response is complete, 0 if it is not yet, and -1 if the connection has failed. */
static int receive(struct connection *connection) {
  size_t room = answer_bytes_max - 1 - connection->received;
  ssize_t count = recv(connection->fd, connection->answer + connection->received, room, 0);
  if (count <= 0) return count < 0 && errno == EAGAIN ? 0 : -1;
  connection->received += count;
  connection->answer[connection->received] = 0;
  char *head_end = strstr(connection->answer, "\r\n\r\n");
  if (head_end == NULL) return 0;
  const char *length = strcasestr(connection->answer, "\r\ncontent-length:");
  if (length == NULL) return -1;
  const char *body = head_end + 4;
  if (connection->received < (size_t)(body - connection->answer) + strtoul(length + 17, NULL, 10)) return 0;
  check_answer(connection, body);
  return 1;
}

static void count_answer(struct connection *connection, bool is_whole) {
  if (!is_whole) errors++;
  if (requests == latencies_max) return;
  latencies[requests++] = is_whole ? (now() - connection->started_at) * 1000 : NAN;
}

static void close_connection(struct connection *connection) {
  close(connection->fd);
  free_connections[free_count++] = connection - connections;
}

static void begin(enum kind kind) {
  if (free_count == 0) {
    unsent++;
    return;
  }
  struct connection *connection = &connections[free_connections[--free_count]];
  connection->kind = kind;
  connection->started_at = now();
  open_connection(connection);
}

/* Two debits for each credit, as in the challenge. */
static enum kind next_kind(void) { return random_below(3) == 0 ? credit : debit; }

/* Returns whether the connection is no longer needed. */
static bool handle(struct connection *connection, uint32_t events, bool continues) {
  if (events & EPOLLOUT) {
    if (send_request(connection)) {
      watch(connection, EPOLLIN);
      return false;
    }
    count_answer(connection, false);
    return true;
  }
  int state = receive(connection);
  if (state == 0) return false;
  count_answer(connection, state == 1);
  if (state < 0 || !keeps_alive || !continues || requests >= latencies_max) return true;
  connection->kind = next_kind();
  connection->started_at = now();
  return !send_request(connection);
}

static void run_closed(int count, double seconds) {
  struct epoll_event events[256];
  double ends_at = now() + seconds;
  for (int index = 0; index < count; index++) begin(next_kind());
  while (free_count < connections_max) {
    int ready = epoll_wait(poller, events, 256, 10000);
    if (ready <= 0) break;
    bool continues = now() < ends_at;
    for (int index = 0; index < ready; index++) {
      struct connection *connection = events[index].data.ptr;
      if (!handle(connection, events[index].events, continues)) continue;
      close_connection(connection);
      if (continues && requests < latencies_max) begin(next_kind());
    }
  }
}

static const struct { enum kind kind; double rate; } flows[] = {{debit, 220}, {credit, 110}, {statement, 10}};

/* The n-th arrival of a rate that grows evenly from one per second comes where the area under the rate is n. */
static double arrival(double rate, double ramp, long n) {
  double growth = (rate - 1) / ramp, in_ramp = floor((1 + rate) / 2 * ramp);
  return n < in_ramp ? (sqrt(1 + 2 * n * growth) - 1) / growth : ramp + (n - in_ramp) / rate;
}

static void run_challenge(double ramp, double hold) {
  struct epoll_event events[256];
  long counts[3] = {0};
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  struct epoll_event timer_event = {.events = EPOLLIN, .data.ptr = NULL};
  epoll_ctl(poller, EPOLL_CTL_ADD, timer, &timer_event);
  double started_at = now();
  for (bool is_over = false; !is_over || free_count < connections_max;) {
    double next = INFINITY, elapsed = now() - started_at;
    for (int flow = 0; flow < 3; flow++) {
      double at;
      while ((at = arrival(flows[flow].rate, ramp, counts[flow])) <= elapsed && at < ramp + hold) {
        counts[flow]++;
        begin(flows[flow].kind);
      }
      if (at < next) next = at;
    }
    is_over = next >= ramp + hold;
    double at = started_at + next;
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)at, .tv_nsec = (long)((at - floor(at)) * 1e9)}};
    if (!is_over) timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
    int ready = epoll_wait(poller, events, 256, 10000);
    if (ready == 0) break;
    for (int index = 0; index < ready; index++) {
      struct connection *connection = events[index].data.ptr;
      uint64_t expirations;
      if (connection == NULL) (void)!read(timer, &expirations, sizeof expirations);
      else if (handle(connection, events[index].events, false)) close_connection(connection);
    }
  }
}

static int by_size(const void *first, const void *second) {
  float a = *(const float *)first, b = *(const float *)second;
  return (a > b) - (a < b);
}

static void report(double seconds) {
  long answered = 0;
  for (long index = 0; index < requests; index++)
    if (!isnan(latencies[index])) latencies[answered++] = latencies[index];
  qsort(latencies, answered, sizeof *latencies, by_size);
  struct timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  /* Requests without a response within ten seconds are errors, too. */
  long hanging = connections_max - free_count;
  printf("{\"requests\":%ld,\"errors\":%ld,\"overdrawn\":%ld,\"seconds\":%.4f,\"cpuSeconds\":%.3f,\"percentiles\":{",
         requests, errors + hanging + unsent, overdrawn, seconds, cpu.tv_sec + cpu.tv_nsec / 1e9);
  static const double percents[] = {50, 75, 90, 99, 99.9, 100};
  for (int index = 0; index < 6; index++) {
    long at = answered * percents[index] / 100;
    double value = answered == 0 ? 0 : latencies[at < answered ? at : answered - 1];
    printf("%s\"%g\":%.4f", index ? "," : "", percents[index], value);
  }
  printf("}}\n");
}

int main(int argc, char **argv) {
  if (argc < 5) return fprintf(stderr, "usage: see the first lines of load.c\n"), 2;
  target = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(argv[1]))};
  target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  poller = epoll_create1(0);
  latencies = malloc(latencies_max * sizeof *latencies);
  for (int index = 0; index < connections_max; index++) free_connections[free_count++] = index;
  double started_at = now();
  if (strcmp(argv[2], "closed") == 0 && argc == 6) {
    keeps_alive = atoi(argv[4]) != 0;
    run_closed(atoi(argv[3]), atof(argv[5]));
  } else run_challenge(atof(argv[3]), atof(argv[4]));
  report(now() - started_at);
  return 0;
}
