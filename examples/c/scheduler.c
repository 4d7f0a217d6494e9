/* A scheduler for Batsim's protocol (version 4) in C, with nothing but the C library: it listens, greets as ZeroMQ's
 * sockets do (ZMTP 3.0, RFC 23), reads the JSON that it needs, and starts jobs in order of submission, each on the
 * lowest nodes, also those that fit behind one that does not. docs/batsim.md is the page.
 *   cc -O2 scheduler.c -o scheduler
 *   coslice run site.swf --scheduler "./scheduler {endpoint}"          # or Batsim: batsim -s tcp://localhost:28000 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void give_up(const char* why) {
  fprintf(stderr, "scheduler: %s\n", why);
  exit(1);
}

static void* must(void* block) {
  if (block == NULL) give_up("out of memory");
  return block;
}

/* --- the socket */

static int listen_at(const char* endpoint) {
  struct sockaddr_un local = {.sun_family = AF_UNIX};
  struct sockaddr_in inet = {.sin_family = AF_INET};
  struct sockaddr* address = (struct sockaddr*)&local;
  socklen_t size = sizeof local;
  if (strncmp(endpoint, "ipc://", 6) == 0 && strlen(endpoint + 6) < sizeof local.sun_path) {
    strcpy(local.sun_path, endpoint + 6);
  } else if (strncmp(endpoint, "tcp://", 6) == 0 && strrchr(endpoint, ':') > endpoint + 4) {
    inet.sin_port = htons((uint16_t)atoi(strrchr(endpoint, ':') + 1));
    inet.sin_addr.s_addr = htonl(INADDR_ANY);
    address = (struct sockaddr*)&inet;
    size = sizeof inet;
  } else {
    give_up("expected ipc://PATH or tcp://*:PORT");
  }
  const int file = socket(address->sa_family, SOCK_STREAM, 0), one = 1;
  setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (file < 0 || bind(file, address, size) != 0 || listen(file, 1) != 0) give_up("cannot listen there");
  const int peer = accept(file, NULL, NULL);
  if (peer < 0) give_up("no simulator came");
  close(file);
  return peer;
}

static void put(int file, const void* bytes, size_t count) {
  for (size_t sent = 0; sent < count;) {
    const ssize_t n = send(file, (const char*)bytes + sent, count - sent, MSG_NOSIGNAL);
    if (n <= 0) give_up("the connection is gone");
    sent += (size_t)n;
  }
}

static void get(int file, void* bytes, size_t count) {
  for (size_t got = 0; got < count;) {
    const ssize_t n = recv(file, (char*)bytes + got, count - got, 0);
    if (n <= 0) give_up("the connection is gone");
    got += (size_t)n;
  }
}

enum { kMore = 1, kLong = 2, kCommand = 4 };

static void put_frame(int file, int flags, const char* body, size_t size) {
  unsigned char head[9] = {(unsigned char)(size < 256 ? flags : flags | kLong)};
  if (size < 256) head[1] = (unsigned char)size;
  for (int i = 0; size >= 256 && i < 8; ++i) head[1 + i] = (unsigned char)(size >> (56 - 8 * i));
  put(file, head, size < 256 ? 2 : 9);
  put(file, body, size);
}

/* Returns the body, which is freed by the caller and ends with a 0. */
static char* get_frame(int file, int* flags, size_t* size) {
  unsigned char head = 0, length[8];
  get(file, &head, 1);
  *flags = head;
  const size_t bytes = (head & kLong) != 0 ? 8 : 1;
  get(file, length, bytes);
  *size = 0;
  for (size_t i = 0; i < bytes; ++i) *size = *size << 8 | length[i];
  if (*size > (size_t)1 << 30) give_up("too much is said");
  char* const body = must(malloc(*size + 1));
  get(file, body, *size);
  body[*size] = 0;
  return body;
}

static void shake_hands(int file) {
  static const char kReady[] = "\5READY\x0bSocket-Type\0\0\0\3REP";
  unsigned char greeting[64] = {0xff, [8] = 1, [9] = 0x7f, [10] = 3, [12] = 'N', 'U', 'L', 'L'};
  int flags = 0;
  size_t size = 0;
  put(file, greeting, sizeof greeting);
  get(file, greeting, sizeof greeting);
  put_frame(file, kCommand, kReady, sizeof kReady - 1);
  free(get_frame(file, &flags, &size));
}

/* --- a text that grows */

struct text {
  char* bytes;
  size_t size, room;
};

static void add(struct text* text, const char* format, ...) {
  for (;;) {
    va_list values;
    va_start(values, format);
    const int n = vsnprintf(text->bytes + text->size, text->room - text->size, format, values);
    va_end(values);
    if (n >= 0 && text->size + (size_t)n < text->room) {
      text->size += (size_t)n;
      return;
    }
    text->room = 2 * text->room + (size_t)n + 64;
    text->bytes = must(realloc(text->bytes, text->room));
  }
}

/* --- JSON, as far as it is looked at: walks over values, and finds members of objects */

static const char* blanks(const char* at) { return at + strspn(at, " \t\r\n"); }

static const char* skip_text(const char* at) {
  for (++at; *at != '"'; ++at) {
    if (*at == '\\') ++at;
    if (*at == 0) give_up("a text has no end");
  }
  return at + 1;
}

static const char* skip(const char* at) {
  at = blanks(at);
  if (*at == '"') return skip_text(at);
  if (*at != '{' && *at != '[') return at + strcspn(at, ",]} \t\r\n");
  int depth = 0;
  do {
    if (*at == '"') {
      at = skip_text(at);
      continue;
    }
    if (*at == '{' || *at == '[') ++depth;
    if (*at == '}' || *at == ']') --depth;
    if (*at == 0) give_up("an object has no end");
    ++at;
  } while (depth != 0);
  return at;
}

/* The member of that name of the object; NULL: it has none. */
static const char* member(const char* object, const char* name) {
  const size_t length = strlen(name);
  if (object == NULL || *(object = blanks(object)) != '{') return NULL;
  for (object = blanks(object + 1); *object == '"'; object = blanks(object)) {
    const int found = strncmp(object + 1, name, length) == 0 && object[1 + length] == '"';
    object = blanks(skip_text(object));
    if (*object++ != ':') give_up("a member has no value");
    if (found) return blanks(object);
    object = blanks(skip(object));
    if (*object == ',') ++object;
  }
  return NULL;
}

static double number(const char* object, const char* name) {
  const char* const at = member(object, name);
  if (at == NULL) give_up(name);
  return strtod(at, NULL);
}

/* A text without escapes, which the caller frees. */
static char* text_of(const char* object, const char* name) {
  const char* const at = member(object, name);
  if (at == NULL || *at != '"') give_up(name);
  const char* const end = skip_text(at);
  char* const out = must(calloc((size_t)(end - at), 1));
  memcpy(out, at + 1, (size_t)(end - at) - 2);
  return out;
}

/* --- the scheduler */

struct job {
  char* id;
  int nodes;
  struct job* next;
};

static struct job *first, **last = &first;
static char* taken; /* by node */
static int node_count, free_count;

static void set_nodes(const char* ranges, char value) {
  while (*ranges != 0) {
    char* end = NULL;
    long from = strtol(ranges, &end, 10), to = from;
    if (*end == '-') to = strtol(end + 1, &end, 10);
    if (from < 0 || to >= node_count) give_up("there is no such node");
    for (; from <= to; ++from) {
      if (taken[from] != value) free_count += value != 0 ? -1 : 1;
      taken[from] = value;
    }
    ranges = end + strspn(end, " ");
  }
}

/* Returns whether the simulation is over. */
static int hear(const char* type, const char* data) {
  if (strcmp(type, "SIMULATION_BEGINS") == 0) {
    node_count = free_count = (int)number(data, "nb_resources");
    taken = must(calloc((size_t)node_count + 1, 1));
  } else if (strcmp(type, "JOB_SUBMITTED") == 0) {
    struct job* const job = must(malloc(sizeof *job));
    *job = (struct job){text_of(data, "job_id"), (int)number(member(data, "job"), "res"), NULL};
    *last = job;
    last = &job->next;
  } else if (strcmp(type, "JOB_COMPLETED") == 0) {
    char* const nodes = text_of(data, "alloc");
    set_nodes(nodes, 0);
    free(nodes);
  } else if (strcmp(type, "NOTIFY") == 0) {
    char* const what = text_of(data, "type");
    const int gone = strcmp(what, "event_machine_unavailable") == 0;
    if (gone || strcmp(what, "event_machine_available") == 0) {
      char* const nodes = text_of(data, "resources");
      set_nodes(nodes, (char)gone);
      free(nodes);
    }
    free(what);
  }
  return strcmp(type, "SIMULATION_ENDS") == 0;
}

static void start(const struct job* job, double now, struct text* out) {
  add(out, "%s{\"timestamp\":%.17g,\"type\":\"EXECUTE_JOB\",\"data\":{\"job_id\":\"%s\",\"alloc\":\"",
      out->bytes[out->size - 1] == '[' ? "" : ",", now, job->id);
  int left = job->nodes;
  for (int n = 0; left != 0; ++n) {
    if (taken[n] != 0) continue;
    taken[n] = 1;
    --free_count;
    add(out, "%s%d", left-- == job->nodes ? "" : " ", n);
  }
  add(out, "\"}}");
}

static void decide(double now, struct text* out) {
  for (struct job** at = &first; *at != NULL && free_count != 0;) {
    struct job* const job = *at;
    if (job->nodes > free_count) {
      at = &job->next;
      continue;
    }
    start(job, now, out);
    *at = job->next;
    if (last == &job->next) last = at;
    free(job->id);
    free(job);
  }
}

static int answer(const char* message, struct text* out) {
  const double now = number(message, "now");
  const char* at = member(message, "events");
  int over = 0;
  if (at == NULL || *at != '[') give_up("events");
  for (at = blanks(at + 1); *at == '{'; at = blanks(skip(at)), at = *at == ',' ? blanks(at + 1) : at) {
    char* const type = text_of(at, "type");
    over |= hear(type, member(at, "data"));
    free(type);
  }
  out->size = 0;
  add(out, "{\"now\":%.17g,\"events\":[", now);
  if (!over) decide(now, out);
  add(out, "]}");
  return over;
}

int main(int argc, char** argv) {
  const int peer = listen_at(argc > 1 ? argv[1] : "tcp://*:28000");
  struct text said = {NULL, 0, 0};
  shake_hands(peer);
  for (int over = 0; !over;) {
    int flags = 0;
    size_t size = 0;
    char* const frame = get_frame(peer, &flags, &size);
    if ((flags & (kMore | kCommand)) == 0) { /* the others stand in front of the message */
      over = answer(frame, &said);
      put_frame(peer, kMore, "", 0);
      put_frame(peer, 0, said.bytes, said.size);
    }
    free(frame);
  }
  free(said.bytes);
  free(taken);
  close(peer);
  return 0;
}
