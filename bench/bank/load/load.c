/*
 * The bank's load, from a program whose own work is small: beside it, what a request costs is the bank's.
 *
 *   load PORT closed CONNECTIONS KEEP_ALIVE SECONDS    each connection sends its next write when it has its answer
 *   load PORT challenge RAMP_SECONDS HOLD_SECONDS      "Rinha de Backend 2024/Q1": arrivals in time, a connection for each
 *
 * One line of JSON tells what came of it. Linux only.
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
static long requests, errors, under_limit, unsent;
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

/* xorshift64: the same run of requests every time. */
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

static void open_connection(struct connection *one) {
  int on = 1;
  one->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (one->fd < 0) quit("socket");
  setsockopt(one->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(one->fd, (struct sockaddr *)&target, sizeof target) < 0 && errno != EINPROGRESS) quit("connect");
  struct epoll_event event = {.events = EPOLLOUT, .data.ptr = one};
  if (epoll_ctl(poller, EPOLL_CTL_ADD, one->fd, &event) < 0) quit("epoll_ctl");
}

static void watch(struct connection *one, uint32_t events) {
  struct epoll_event event = {.events = events, .data.ptr = one};
  epoll_ctl(poller, EPOLL_CTL_MOD, one->fd, &event);
}

/* Small enough for the socket's buffer, so it is never written in parts. */
static bool send_request(struct connection *one) {
  char text[512];
  int length = request_text(one->kind, text, sizeof text);
  one->received = 0;
  return send(one->fd, text, length, MSG_NOSIGNAL) == length;
}

static long number_after(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? strtol(found + strlen(name) + strspn(found + strlen(name), " :"), NULL, 10) : 0;
}

/* What is wrong and what is not is the challenge's to say: 200, or 422 for a debit. */
static void check_answer(struct connection *one, const char *body) {
  int status = atoi(one->answer + 9);
  if (status != 200 && !(status == 422 && one->kind == debit)) errors++;
  if (status != 200) return;
  long balance = number_after(body, one->kind == statement ? "\"total\"" : "\"saldo\"");
  if (balance < -number_after(body, "\"limite\"")) under_limit++;
}

/* 1 when the answer is whole, 0 when more is to come, -1 when the connection has failed. */
static int receive(struct connection *one) {
  ssize_t count = recv(one->fd, one->answer + one->received, answer_bytes_max - 1 - one->received, 0);
  if (count <= 0) return count < 0 && errno == EAGAIN ? 0 : -1;
  one->received += count;
  one->answer[one->received] = 0;
  char *head_end = strstr(one->answer, "\r\n\r\n");
  if (head_end == NULL) return 0;
  const char *length = strcasestr(one->answer, "\r\ncontent-length:");
  if (length == NULL) return -1;
  const char *body = head_end + 4;
  if (one->received < (size_t)(body - one->answer) + strtoul(length + 17, NULL, 10)) return 0;
  check_answer(one, body);
  return 1;
}

static void count_answer(struct connection *one, bool is_whole) {
  if (!is_whole) errors++;
  if (requests == latencies_max) return;
  latencies[requests++] = is_whole ? (now() - one->started_at) * 1000 : NAN;
}

static void let_go(struct connection *one) {
  close(one->fd);
  free_connections[free_count++] = one - connections;
}

static void begin(enum kind kind) {
  if (free_count == 0) {
    unsent++;
    return;
  }
  struct connection *one = &connections[free_connections[--free_count]];
  one->kind = kind;
  one->started_at = now();
  open_connection(one);
}

/* Two debits for each credit, as the challenge has them. */
static enum kind next_kind(void) { return random_below(3) == 0 ? credit : debit; }

/* Returns whether the connection is done with. */
static bool handle(struct connection *one, uint32_t events, bool goes_on) {
  if (events & EPOLLOUT) {
    if (send_request(one)) {
      watch(one, EPOLLIN);
      return false;
    }
    count_answer(one, false);
    return true;
  }
  int state = receive(one);
  if (state == 0) return false;
  count_answer(one, state == 1);
  if (state < 0 || !keeps_alive || !goes_on || requests >= latencies_max) return true;
  one->kind = next_kind();
  one->started_at = now();
  return !send_request(one);
}

static void run_closed(int count, double seconds) {
  struct epoll_event events[256];
  double ends_at = now() + seconds;
  for (int index = 0; index < count; index++) begin(next_kind());
  while (free_count < connections_max) {
    int ready = epoll_wait(poller, events, 256, 10000);
    if (ready <= 0) break;
    bool goes_on = now() < ends_at;
    for (int index = 0; index < ready; index++) {
      struct connection *one = events[index].data.ptr;
      if (!handle(one, events[index].events, goes_on)) continue;
      let_go(one);
      if (goes_on && requests < latencies_max) begin(next_kind());
    }
  }
}

static const struct { enum kind kind; double rate; } flows[] = {{debit, 220}, {credit, 110}, {statement, 10}};

/* The n-th arrival of a rate that grows evenly from one a second comes where the area under it is n. */
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
      struct connection *one = events[index].data.ptr;
      uint64_t expirations;
      if (one == NULL) (void)!read(timer, &expirations, sizeof expirations);
      else if (handle(one, events[index].events, false)) let_go(one);
    }
  }
}

static int by_size(const void *first, const void *second) {
  float a = *(const float *)first, b = *(const float *)second;
  return (a > b) - (a < b);
}

static void report(double seconds) {
  long known = 0;
  for (long index = 0; index < requests; index++)
    if (!isnan(latencies[index])) latencies[known++] = latencies[index];
  qsort(latencies, known, sizeof *latencies, by_size);
  struct timespec cpu;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  /* Requests that never got their answer within ten seconds are errors too. */
  long hanging = connections_max - free_count;
  printf("{\"requests\":%ld,\"errors\":%ld,\"underLimit\":%ld,\"seconds\":%.4f,\"cpuSeconds\":%.3f,\"percentiles\":{",
         requests, errors + hanging + unsent, under_limit, seconds, cpu.tv_sec + cpu.tv_nsec / 1e9);
  static const double shares[] = {50, 75, 90, 99, 99.9, 100};
  for (int index = 0; index < 6; index++) {
    long at = known * shares[index] / 100;
    double value = known == 0 ? 0 : latencies[at < known ? at : known - 1];
    printf("%s\"%g\":%.4f", index ? "," : "", shares[index], value);
  }
  printf("}}\n");
}

int main(int count, char **words) {
  if (count < 5) return fprintf(stderr, "usage: see the first lines of load.c\n"), 2;
  target = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(atoi(words[1]))};
  target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  poller = epoll_create1(0);
  latencies = malloc(latencies_max * sizeof *latencies);
  for (int index = 0; index < connections_max; index++) free_connections[free_count++] = index;
  double started_at = now();
  if (strcmp(words[2], "closed") == 0 && count == 6) {
    keeps_alive = atoi(words[4]) != 0;
    run_closed(atoi(words[3]), atof(words[5]));
  } else run_challenge(atof(words[3]), atof(words[4]));
  report(now() - started_at);
  return 0;
}
