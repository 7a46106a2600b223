#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int add_actions(posix_spawn_file_actions_t *actions, const char *directory,
                       const int descriptors[3]) {
  int status = 0;
  for (int i = 0; i < 3 && status == 0; i++)
    status = posix_spawn_file_actions_adddup2(actions, descriptors[i], i);
  if (status == 0) status = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  if (status == 0 && directory != NULL)
    status = posix_spawn_file_actions_addchdir_np(actions, directory);
  return status;
}

static void set_attributes(posix_spawnattr_t *attributes) {
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(attributes, &signals);
  posix_spawnattr_setpgroup(attributes, 0);
  posix_spawnattr_setflags(
      attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
}

int verso_spawn(const char *program, char *const arguments[], char *const environment[],
                const char *directory, const int descriptors[3]) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  pid_t process = 0;
  int copies[3] = {-1, -1, -1};
  int status = posix_spawn_file_actions_init(&actions);
  if (status != 0) return -status;
  status = posix_spawnattr_init(&attributes);
  if (status != 0) {
    posix_spawn_file_actions_destroy(&actions);
    return -status;
  }
  /* A process that was started without 0, 1 or 2 may get these numbers for its files: move them up,
     so that no dup2 overwrites what a later one reads. */
  for (int i = 0; i < 3 && status == 0; i++) {
    copies[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, 3);
    if (copies[i] < 0) status = errno;
  }
  if (status == 0) status = add_actions(&actions, directory, copies);
  set_attributes(&attributes);
  if (status == 0)
    status = posix_spawn(&process, program, &actions, &attributes, arguments, environment);
  for (int i = 0; i < 3; i++)
    if (copies[i] >= 0) close(copies[i]);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return status == 0 ? process : -status;
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* Where the kernel has no pidfd_open(2) (before 5.3, or a sandbox): ask again and again. */
static int wait_by_asking(int process, long long end) {
  for (int pause = 1;; pause = pause < 16 ? 2 * pause : 20) {
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)process, &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
      if (errno != EINTR) return -errno;
    } else if (info.si_pid != 0) {
      return 1;
    }
    if (now() >= end) return 0;
    struct timespec time = {0, pause * 1000000L};
    nanosleep(&time, NULL);
  }
}

int verso_wait_for_child(int process, int milliseconds) {
  long long end = now() + milliseconds;
  int descriptor = (int)syscall(SYS_pidfd_open, process, 0);
  if (descriptor < 0) return wait_by_asking(process, end);
  int result = 0;
  do {
    struct pollfd request = {descriptor, POLLIN, 0};
    long long left = end - now();
    result = poll(&request, 1, left > 0 ? (int)left : 0);
    if (result < 0) result = errno == EINTR ? 0 : -errno;
  } while (result == 0 && now() < end);
  close(descriptor);
  return result;
}

int verso_run_editor(const char *command, const char *path) {
  size_t size = strlen(command) + sizeof " \"$@\"";
  char *script = malloc(size);
  if (script == NULL) return -ENOMEM;
  snprintf(script, size, "%s \"$@\"", command);
  /* Ctrl-C and Ctrl-\ are the editor's while it runs (git's editor.c does the same). */
  struct sigaction ignore, interrupt, quit;
  memset(&ignore, 0, sizeof ignore);
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGINT, &ignore, &interrupt);
  sigaction(SIGQUIT, &ignore, &quit);
  posix_spawnattr_t attributes;
  sigset_t signals;
  posix_spawnattr_init(&attributes);
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGQUIT);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  char *arguments[] = {"sh", "-c", script, "verso", (char *)path, NULL};
  pid_t process;
  int status = posix_spawn(&process, "/bin/sh", NULL, &attributes, arguments, environ);
  int result = -status;
  if (status == 0) {
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    result = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  }
  posix_spawnattr_destroy(&attributes);
  free(script);
  sigaction(SIGINT, &interrupt, NULL);
  sigaction(SIGQUIT, &quit, NULL);
  return result;
}
