/*
 * extremum-launcher: confines itself, then becomes the Python template from which the workers that run uploaded code are
 * forked.
 *
 *   extremum-launcher --parent PID --python FILE --script FILE... --memory BYTES --cpu SECONDS --seats COUNT
 *                     [--warm-up NAME] [--read PATH]... [--exec FILE]... [--folder PATH [--file FILE] [--confine no]]
 *
 * Without --folder the code is a stranger's. With it, it is the user's own: it starts in that folder, which it may read, and
 * keeps to stage 1, which leaves it all other files closed (where the kernel has Landlock), and the network, processes and
 * changes to files. `--confine no` confines nothing, and hands the launcher's environment on.
 *
 * Descriptors given by the parent: 0 commands, 1 records, 2 diagnostics, and from 6 on two for each seat, which is what
 * one worker gets: a socket, and its progress page. The template further gets 4 = start data (u32 length of the stage-1
 * filter, u32 length of the stage-2 filter, both filters, the texts of all --script in their order) and 5 = /dev/null.
 *
 * Order matters: what needs privileges or files comes first, then identity, Landlock, limits, and seccomp last. Every
 * step that fails ends the process with status 70 and one line on descriptor 2; only Landlock may be missing, and what
 * was reached is told to the template in EXTREMUM_SANDBOX. Knows nothing of the protocol or of Python beyond its command
 * line. docs/adr/0004-sandbox.md says why each part is there; filters.c holds the system call lists.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "filters.h"

enum { kMaxPaths = 256, kMaxScripts = 4, kMaxSeats = 255, kNobody = 65534, kFailed = 70 };
enum { kGivenFd = 3, kStartFd = 4, kNullFd = 5, kFirstSeatFd = 6 };
/* What Python has open beside the above at one time, importing. */
enum { kImportFiles = 58 };

/* Unified numbers, so that old headers do. */
enum { kCloseRange = 436, kLandlockCreate = 444, kLandlockAddRule = 445, kLandlockRestrict = 446 };

/* linux/landlock.h as of ABI 6; the size passed to the kernel says how much of it is meant. */
struct landlock_ruleset { uint64_t handled_fs, handled_net, scoped; };
struct landlock_path { uint64_t allowed; int32_t parent_fd; } __attribute__((packed));
enum { kLandlockExecute = 1 << 0, kLandlockReadFile = 1 << 2, kLandlockReadDir = 1 << 3 };

struct options {
  const char* python;
  const char* script[kMaxScripts];
  const char* warm_up;
  const char* folder; /* null: a stranger's code */
  const char* file;
  int is_confined;
  const char* read[kMaxPaths];
  const char* exec[kMaxPaths];
  int script_count, read_count, exec_count;
  int seats;
  long parent, cpu;
  unsigned long long memory;
};

static void fail(const char* format, ...) {
  const int error = errno;
  va_list arguments;
  va_start(arguments, format);
  fputs("extremum-launcher: ", stderr);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  if (error != 0) fprintf(stderr, ": %s", strerror(error));
  fputc('\n', stderr);
  _exit(kFailed);
}

static unsigned long long parse_number(const char* name, const char* text) {
  char* end;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (*text == '\0' || *end != '\0' || errno != 0) fail("%s needs a number, got '%s'", name, text);
  return value;
}

static int parse_seats(const char* text) {
  const unsigned long long count = parse_number("--seats", text);
  if (count > kMaxSeats) fail("at most %d seats", kMaxSeats);
  return (int)count;
}

static void add_path(const char* name, const char** paths, int most, int* count, const char* path) {
  if (*count == most) fail("more than %d %s paths", most, name);
  paths[(*count)++] = path;
}

static struct options parse_options(int argc, char** argv) {
  struct options options = {.warm_up = "", .file = "", .is_confined = 1, .parent = -1, .cpu = -1};
  for (int i = 1; i < argc; i += 2) {
    const char* name = argv[i];
    if (i + 1 == argc) fail("%s needs a value", name);
    const char* value = argv[i + 1];
    if (strcmp(name, "--python") == 0) options.python = value;
    else if (strcmp(name, "--script") == 0) add_path(name, options.script, kMaxScripts, &options.script_count, value);
    else if (strcmp(name, "--warm-up") == 0) options.warm_up = value;
    else if (strcmp(name, "--folder") == 0) options.folder = value;
    else if (strcmp(name, "--file") == 0) options.file = value;
    else if (strcmp(name, "--confine") == 0) options.is_confined = strcmp(value, "no") != 0;
    else if (strcmp(name, "--read") == 0) add_path(name, options.read, kMaxPaths, &options.read_count, value);
    else if (strcmp(name, "--exec") == 0) add_path(name, options.exec, kMaxPaths, &options.exec_count, value);
    else if (strcmp(name, "--seats") == 0) options.seats = parse_seats(value);
    else if (strcmp(name, "--parent") == 0) options.parent = (long)parse_number(name, value);
    else if (strcmp(name, "--memory") == 0) options.memory = parse_number(name, value);
    else if (strcmp(name, "--cpu") == 0) options.cpu = (long)parse_number(name, value);
    else fail("unknown option '%s'", name);
  }
  if (!options.python || options.script_count == 0 || options.parent < 0 || options.memory == 0 || options.cpu < 0 ||
      options.seats == 0)
    fail("--parent, --python, --script, --memory, --cpu and --seats are needed");
  if (!options.is_confined && !options.folder) fail("only code with a folder of its own may go unconfined");
  errno = 0;
  return options;
}

/* The first descriptor above those of the seats. */
static int end_of_seats(const struct options* options) { return kFirstSeatFd + 2 * options->seats; }

static void check_descriptors(const struct options* options) {
  for (int fd = 0; fd < end_of_seats(options); fd++)
    if ((fd < kGivenFd || fd >= kFirstSeatFd) && fcntl(fd, F_GETFD) < 0) fail("descriptor %d is not open", fd);
}

static void close_from(int first) {
  if (syscall(kCloseRange, first, ~0U, 0) == 0) return;
  struct rlimit limit;
  const int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 1048576 ? (int)limit.rlim_cur : 1048576;
  for (int fd = first; fd < last; fd++) close(fd);
}

static void close_foreign_descriptors(const struct options* options) {
  for (int fd = kGivenFd; fd < kFirstSeatFd; fd++) close(fd);
  close_from(end_of_seats(options));
  errno = 0;
}

static void write_all(int fd, const void* data, size_t size) {
  const char* from = data;
  while (size > 0) {
    const ssize_t written = write(fd, from, size);
    if (written < 0) fail("cannot write the start data");
    from += written;
    size -= (size_t)written;
  }
}

static void copy_text(const char* script, int to) {
  const int source = open(script, O_RDONLY | O_CLOEXEC);
  if (source < 0) fail("cannot read %s", script);
  char buffer[16384];
  ssize_t got;
  while ((got = read(source, buffer, sizeof(buffer))) > 0) write_all(to, buffer, (size_t)got);
  if (got < 0) fail("cannot read %s", script);
  close(source);
}

/* A memory file: no path that Landlock would have to allow, no pipe whose capacity could be too small. */
static void prepare_start_data(const struct options* options) {
  const int fd = (int)syscall(SYS_memfd_create, "extremum-start", 0U);
  if (fd < 0) fail("cannot make a memory file");
  struct filter filters[2];
  build_launch_filter(&filters[0]);
  build_worker_filter(&filters[1]);
  uint32_t bytes[2];
  for (int i = 0; i < 2; i++) bytes[i] = (uint32_t)(filters[i].length * sizeof(filters[i].code[0]));
  write_all(fd, bytes, sizeof(bytes));
  for (int i = 0; i < 2; i++) write_all(fd, filters[i].code, bytes[i]);
  for (int i = 0; i < options->script_count; i++) copy_text(options->script[i], fd);
  const int null = open("/dev/null", O_RDWR);
  if (null < 0) fail("cannot open /dev/null");
  /* Park both above their final places, so that neither dup2 closes the other. */
  const int high = end_of_seats(options);
  const int high_start = fcntl(fd, F_DUPFD, high), high_null = fcntl(null, F_DUPFD, high);
  if (high_start < 0 || high_null < 0 || dup2(high_start, kStartFd) < 0 || dup2(high_null, kNullFd) < 0)
    fail("cannot place descriptors");
  lseek(kStartFd, 0, SEEK_SET);
  close(kGivenFd);
  close_from(high);
}

static int has_capability(int capability) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2];
  if (syscall(SYS_capget, &header, data) != 0) return 0;
  return (data[capability / 32].effective >> (capability % 32)) & 1;
}

/* Whether the effective identity can use `path`; a path that does not exist is no obstacle. */
static int is_usable(const char* path, int mode) {
  return faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0 || errno == ENOENT;
}

static int is_directory(const char* path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int all_usable(const struct options* options) {
  if (!is_usable(options->python, X_OK)) return 0;
  for (int i = 0; i < options->exec_count; i++)
    if (!is_usable(options->exec[i], X_OK | R_OK)) return 0;
  for (int i = 0; i < options->read_count; i++)
    if (!is_usable(options->read[i], is_directory(options->read[i]) ? R_OK | X_OK : R_OK)) return 0;
  return 1;
}

/*
 * Root becomes nobody, if nobody can read the interpreter and the parent could still kill it (CAP_KILL). Otherwise, as
 * with an interpreter under /root, the identity stays and only the capabilities go: root without capabilities is an
 * ordinary user who owns root's files, and those Landlock and the filters keep away.
 */
static void drop_identity(const struct options* options) {
  if (geteuid() != 0 || !has_capability(CAP_SETUID) || !has_capability(CAP_SETGID) || !has_capability(CAP_KILL)) return;
  gid_t groups[1024];
  const int group_count = getgroups(1024, groups);
  if (group_count < 0 || setgroups(0, NULL) != 0) return;
  int usable = 0;
  if (setegid(kNobody) == 0 && seteuid(kNobody) == 0) usable = all_usable(options);
  if (seteuid(0) != 0 || setegid(0) != 0) fail("cannot return from the trial identity");
  if (!usable) {
    if (setgroups((size_t)group_count, groups) != 0) fail("cannot restore groups");
    return;
  }
  if (setresgid(kNobody, kNobody, kNobody) != 0 || setresuid(kNobody, kNobody, kNobody) != 0)
    fail("cannot become user %d", kNobody);
}

static void drop_capabilities(void) {
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (syscall(SYS_capset, &header, none) != 0) fail("cannot drop capabilities");
}

/* The bounding set and the secure bits stop uid 0 from regaining capabilities by exec; they need CAP_SETPCAP. */
static void forbid_capabilities(void) {
  if (!has_capability(CAP_SETPCAP)) return;
  for (int capability = 0; capability <= 63; capability++) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0);
}

static void allow_path(int ruleset, const char* path, uint64_t rights) {
  struct landlock_path rule = {.allowed = rights};
  rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
  if (rule.parent_fd < 0) {
    if (errno == ENOENT || errno == EACCES || errno == ENOTDIR) return;
    fail("cannot open %s", path);
  }
  if (syscall(kLandlockAddRule, ruleset, 1, &rule, 0) != 0) fail("Landlock refuses a rule for %s", path);
  close(rule.parent_fd);
}

/* Returns the ABI and the ruleset to enforce, or 0 where the kernel has no Landlock. */
static int prepare_landlock(const struct options* options, int* ruleset) {
  const long abi = syscall(kLandlockCreate, NULL, 0, 1);
  if (abi < 1) {
    errno = 0;
    return 0;
  }
  struct landlock_ruleset handled = {.handled_fs = (1ULL << 13) - 1};
  size_t size = sizeof(handled.handled_fs);
  if (abi >= 2) handled.handled_fs |= 1ULL << 13; /* refer */
  if (abi >= 3) handled.handled_fs |= 1ULL << 14; /* truncate */
  if (abi >= 5) handled.handled_fs |= 1ULL << 15; /* ioctl on devices */
  if (abi >= 4) {
    handled.handled_net = 3; /* TCP bind and connect */
    size = 2 * sizeof(uint64_t);
  }
  if (abi >= 6) {
    handled.scoped = 3; /* abstract sockets and signals */
    size = 3 * sizeof(uint64_t);
  }
  *ruleset = (int)syscall(kLandlockCreate, &handled, size, 0);
  if (*ruleset < 0) fail("cannot make a Landlock ruleset");
  for (int i = 0; i < options->read_count; i++)
    allow_path(*ruleset, options->read[i], kLandlockReadFile | (is_directory(options->read[i]) ? kLandlockReadDir : 0));
  for (int i = 0; i < options->exec_count; i++)
    allow_path(*ruleset, options->exec[i], kLandlockReadFile | kLandlockExecute);
  return (int)abi;
}

/* Soft = hard: a process must not see a warning signal that it could catch, nor raise the limit again. */
static void limit(int resource, rlim_t value) {
  struct rlimit current;
  if (getrlimit(resource, &current) == 0 && current.rlim_max < value) value = current.rlim_max;
  const struct rlimit wanted = {value, value};
  if (setrlimit(resource, &wanted) != 0) fail("cannot set resource limit %d", resource);
}

/* Workers inherit them, and give up what only the template needs: processes, and descriptors for the seats. */
static void set_limits(const struct options* options) {
  limit(RLIMIT_AS, options->memory);
  limit(RLIMIT_STACK, 16 << 20);
  if (options->cpu > 0) limit(RLIMIT_CPU, (rlim_t)options->cpu);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NOFILE, (rlim_t)end_of_seats(options) + kImportFiles);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_MEMLOCK, 0);
  limit(RLIMIT_MSGQUEUE, 0);
}

/* Workers are the first that a host short of memory should end. */
static void offer_to_oom_killer(void) {
  const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, "1000", 4) < 0) errno = 0;
  close(fd);
}

static void die_with_parent(long parent) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) fail("cannot ask to die with the parent");
  if (getppid() != parent) _exit(kFailed); /* it died before we asked */
}

static void reset_signals(void) {
  for (int number = 1; number < 32; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  errno = 0;
}

/* Everything but the filters. Returns Landlock's ABI. */
static int confine(const struct options* options) {
  umask(0777);
  int ruleset = -1;
  const int landlock = prepare_landlock(options, &ruleset);
  forbid_capabilities();
  /* The user's own files may be for that user's eyes only. */
  if (!options->folder) drop_identity(options);
  drop_capabilities();
  die_with_parent(options->parent); /* a change of identity clears it, so after it */
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("cannot set no_new_privs");
  if (landlock > 0) {
    if (syscall(kLandlockRestrict, ruleset, 0) != 0) fail("cannot enforce Landlock");
    close(ruleset);
  }
  set_limits(options);
  return landlock;
}

static void set_environment(const struct options* options, const char* level) {
  /* Threads are refused to confined code, so numeric libraries must not try; hash order must repeat from run to run. */
  const char* const variables[][2] = {
      {"EXTREMUM_SANDBOX", level},
      {"EXTREMUM_WARM_UP", options->warm_up},
      {"PYTHONHASHSEED", "0"}, {"PYTHONUTF8", "1"}, {"PYTHONSAFEPATH", "1"}, {"PYTHONNOUSERSITE", "1"},
      {"PYTHONDONTWRITEBYTECODE", "1"}, {"OMP_NUM_THREADS", "1"}, {"OPENBLAS_NUM_THREADS", "1"}, {"MKL_NUM_THREADS", "1"},
      {"BLIS_NUM_THREADS", "1"}, {"NUMEXPR_NUM_THREADS", "1"},
  };
  for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
    if (setenv(variables[i][0], variables[i][1], 1) != 0) fail("cannot set the environment");
  const char* const own[][2] = {{"EXTREMUM_ACCESS", options->is_confined ? "folder" : "all"}, {"EXTREMUM_FILE", options->file}};
  for (size_t i = 0; options->folder && i < sizeof(own) / sizeof(*own); i++)
    if (setenv(own[i][0], own[i][1], 1) != 0) fail("cannot set the environment");
  const char* const confined[][2] = {{"LANG", "C.UTF-8"}, {"TZ", "UTC"}, {"HOME", "/nonexistent"}};
  for (size_t i = 0; options->is_confined && i < sizeof(confined) / sizeof(*confined); i++)
    if (setenv(confined[i][0], confined[i][1], 1) != 0) fail("cannot set the environment");
  errno = 0;
}

int main(int argc, char** argv) {
  errno = 0;
  const struct options options = parse_options(argc, argv);
  check_descriptors(&options);
  reset_signals();
  setsid(); /* signals of the service's terminal are not for us; fails harmlessly for a group leader */
  errno = 0;
  close_foreign_descriptors(&options);
  prepare_start_data(&options);
  offer_to_oom_killer();
  const char* const folder = options.folder ? options.folder : "/";
  if (chdir(folder) != 0) fail("cannot change to %s", folder);
  const int landlock = options.is_confined ? confine(&options) : 0;
  if (!options.is_confined) die_with_parent(options.parent);

  char level[96];
  if (options.is_confined)
    snprintf(level, sizeof(level), "landlock=%d seccomp=%d uid=%u", landlock, options.folder ? 1 : 2, (unsigned)geteuid());
  else
    snprintf(level, sizeof(level), "off");
  if (options.is_confined) clearenv();
  set_environment(&options, level);
  static char start[] =
      "d=open(4,'rb').read();n,m=(int.from_bytes(d[i:i+4],'little')for i in(0,4));"
      "filters=d[8:8+n],d[8+n:8+n+m];exec(compile(d[8+n+m:],'<extremum worker>','exec'))";
  char* arguments[] = {(char*)options.python, "-s", "-B", "-c", start, NULL};

  struct filter filter;
  build_template_filter(&filter);
  if (options.is_confined && install_filter(&filter) != 0) fail("seccomp filters are not available");
  execve(options.python, arguments, environ);
  fail("cannot start %s", options.python);
}
