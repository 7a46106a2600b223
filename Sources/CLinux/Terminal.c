#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* A process has one controlling terminal, and a signal handler finds nothing but globals. */
static struct {
  atomic_int held;
  int input, output;
  volatile int wake;
  struct termios found, own;
  unsigned char leave[1024];
  size_t leave_size;
} terminal = {.wake = -1};

static const int fatal[] = {SIGTRAP, SIGILL, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGSYS, SIGQUIT};
static const int reported[] = {SIGWINCH, SIGCONT, SIGTSTP, SIGTERM, SIGHUP, SIGINT};
enum { FATAL = sizeof fatal / sizeof *fatal, REPORTED = sizeof reported / sizeof *reported };
static struct sigaction fatal_before[FATAL], reported_before[REPORTED];

static void write_all(int descriptor, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t count = write(descriptor, bytes, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return; /* A terminal that is gone needs nothing put back. */
    bytes += count;
    size -= (size_t)count;
  }
}

/* Only calls of signal-safety(7). */
static void give_back(void) {
  if (atomic_exchange(&terminal.held, 0) == 0) return;
  write_all(terminal.output, terminal.leave, terminal.leave_size);
  tcsetattr(terminal.input, TCSANOW, &terminal.found);
}

static void die_restored(int number, siginfo_t *information, void *context) {
  (void)context;
  int before = errno;
  give_back();
  for (size_t i = 0; i < FATAL; i++)
    if (fatal[i] == number) sigaction(number, &fatal_before[i], NULL);
  /* An instruction that faults does so again on return, and whoever handles it next sees where. A
     trap goes on behind its instruction, and what a process sent is not sent again. */
  int repeats = number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE;
  if (!repeats || information->si_code <= 0) raise(number);
  errno = before;
}

static void report(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  /* A full pipe holds enough of them already. */
  ssize_t ignored = write(terminal.wake, &byte, 1);
  (void)ignored;
  errno = before;
}

static void catch_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  sigemptyset(&action.sa_mask);
  action.sa_sigaction = die_restored;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i < FATAL; i++) sigaction(fatal[i], &action, &fatal_before[i]);
  action.sa_handler = report;
  action.sa_flags = SA_RESTART;
  sigset_t wanted;
  sigemptyset(&wanted);
  for (size_t i = 0; i < REPORTED; i++) {
    sigaction(reported[i], NULL, &reported_before[i]);
    /* nohup(1) ignores SIGHUP on purpose, and a shell without job control SIGTSTP. */
    if (reported_before[i].sa_handler == SIG_IGN) continue;
    sigaction(reported[i], &action, NULL);
    sigaddset(&wanted, reported[i]);
  }
  /* Whoever started this may have had them blocked, and a new program inherits that. */
  pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
}

static void release_signals(void) {
  for (size_t i = 0; i < FATAL; i++) sigaction(fatal[i], &fatal_before[i], NULL);
  for (size_t i = 0; i < REPORTED; i++) sigaction(reported[i], &reported_before[i], NULL);
}

/* A stack that was used up cannot hold its handler's frame. */
static void give_handlers_a_stack(void) {
  static unsigned char space[64 * 1024];
  stack_t now, wanted = {.ss_sp = space, .ss_size = sizeof space};
  if (sigaltstack(NULL, &now) == 0 && (now.ss_flags & SS_DISABLE)) sigaltstack(&wanted, NULL);
}

static void give_back_at_exit(void) { atexit(give_back); }

int verso_terminal_hold(int input, int output, const uint8_t *leave, size_t size, int wake) {
  if (size > sizeof terminal.leave) return -E2BIG;
  if (atomic_load(&terminal.held)) return -EBUSY;
  int flags = fcntl(wake, F_GETFL);
  if (flags < 0 || fcntl(wake, F_SETFL, flags | O_NONBLOCK) != 0) return -errno;
  if (tcgetattr(input, &terminal.found) != 0) return -errno;
  terminal.own = terminal.found;
  cfmakeraw(&terminal.own);
  terminal.own.c_cc[VMIN] = 1;
  terminal.own.c_cc[VTIME] = 0;
  terminal.input = input;
  terminal.output = output;
  terminal.wake = wake;
  memcpy(terminal.leave, leave, size);
  terminal.leave_size = size;
  give_handlers_a_stack();
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, give_back_at_exit);
  catch_signals();
  atomic_store(&terminal.held, 1);
  if (tcsetattr(input, TCSADRAIN, &terminal.own) == 0) return 0;
  int error = errno;
  atomic_store(&terminal.held, 0);
  release_signals();
  return -error;
}

void verso_terminal_release(void) {
  give_back();
  release_signals();
}

int verso_terminal_stop(void) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGTSTP, &action, &before) != 0) return -errno;
  /* The whole job: a script that runs this would otherwise keep the terminal. */
  int result = kill(0, SIGTSTP) == 0 ? 0 : -errno;
  sigaction(SIGTSTP, &before, NULL);
  return result;
}
