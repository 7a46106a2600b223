#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child needs; it shares memory with its parent until it executes the program (vfork(2)),
   so it calls nothing but system calls. */
struct plan {
  const char *program;
  char *const *arguments, *const *environment;
  const char *directory;
  int descriptors[3];
  int terminal;
  pid_t parent;
};

static void reset_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; number++) sigaction(number, &action, NULL);
}

/* Returns only where something failed, with the errno. */
static int become(const struct plan *plan) {
  if (plan->terminal < 0) {
    if (setsid() < 0) return errno;
  } else {
    /* SIGTTOU is blocked still, which lets a background process do this: tcsetpgrp(3). */
    if (setpgid(0, 0) != 0 || tcsetpgrp(plan->terminal, getpid()) != 0) return errno;
  }
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) return errno;
  /* The parent may have died before that took effect. */
  if (getppid() != plan->parent) return ECHILD;
  for (int i = 0; i < 3; i++)
    if (dup2(plan->descriptors[i], i) < 0) return errno;
  closefrom(3);
  if (plan->directory != NULL && chdir(plan->directory) != 0) return errno;
  reset_signals();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(plan->program, plan->arguments, plan->environment);
  return errno;
}

int verso_spawn_apart(const char *program, char *const arguments[], char *const environment[],
                      const char *directory, const int descriptors[3], int terminal) {
  struct plan plan = {program, arguments, environment, directory, {-1, -1, -1}, terminal, getpid()};
  volatile int failure = 0;
  /* As in verso_spawn: no dup2 may overwrite what a later one reads. */
  for (int i = 0; i < 3 && failure == 0; i++) {
    plan.descriptors[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, 3);
    if (plan.descriptors[i] < 0) failure = errno;
  }
  pid_t process = -1;
  if (failure == 0) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    process = vfork();
    if (process == 0) {
      failure = become(&plan);
      _exit(127);
    }
    if (process < 0) failure = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  for (int i = 0; i < 3; i++)
    if (plan.descriptors[i] >= 0) close(plan.descriptors[i]);
  if (failure != 0 && process > 0) waitpid(process, NULL, 0);
  return failure == 0 ? process : -failure;
}

int verso_has_stopped(int process) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  int result = waitid(P_PID, (id_t)process, &info, WSTOPPED | WNOHANG);
  return result == 0 && info.si_pid == process && info.si_code == CLD_STOPPED;
}

int verso_take_terminal(int terminal, int group) {
  sigset_t output, before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &output, &before);
  int result = tcsetpgrp(terminal, group) == 0 ? 0 : -errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}
