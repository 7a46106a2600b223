#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* The address of a path, or of a name in the abstract name space where it starts with '@'; its
   length, or -ENAMETOOLONG. */
static int make_address(const char *path, int allows_abstract, struct sockaddr_un *address) {
  size_t length = strlen(path);
  if (length == 0 || length >= sizeof address->sun_path) return -ENAMETOOLONG;
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  memcpy(address->sun_path, path, length);
  int is_abstract = allows_abstract && path[0] == '@';
  if (is_abstract) address->sun_path[0] = 0;
  /* An abstract name has no NUL at its end: unix(7). */
  return (int)(offsetof(struct sockaddr_un, sun_path) + length + (is_abstract ? 0 : 1));
}

static int failing(int descriptor, int error) {
  close(descriptor);
  return -error;
}

int verso_listen(const char *path) {
  struct sockaddr_un address;
  int length = make_address(path, 0, &address);
  if (length < 0) return length;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  /* Before it has a name, so that nobody else can connect in between. */
  if (fchmod(descriptor, 0600) != 0) return failing(descriptor, errno);
  if (bind(descriptor, (struct sockaddr *)&address, (socklen_t)length) != 0)
    return failing(descriptor, errno);
  if (listen(descriptor, 64) != 0) {
    int error = errno;
    unlink(path);
    return failing(descriptor, error);
  }
  return descriptor;
}

int verso_connect(const char *path) {
  struct sockaddr_un address;
  int length = make_address(path, 0, &address);
  if (length < 0) return length;
  int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  if (connect(descriptor, (struct sockaddr *)&address, (socklen_t)length) != 0)
    return failing(descriptor, errno);
  return descriptor;
}

int verso_accept(int descriptor) {
  int client = accept4(descriptor, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  return client < 0 ? -errno : client;
}

int verso_peer(int descriptor, uint32_t *user, int32_t *process) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -errno;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
}

ssize_t verso_send(int descriptor, const void *bytes, size_t size) {
  ssize_t count = send(descriptor, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  return count < 0 ? -errno : count;
}

int verso_send_datagram(const char *path, const void *bytes, size_t size) {
  struct sockaddr_un address;
  int length = make_address(path, 1, &address);
  if (length < 0) return length;
  int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  struct timeval limit = {0, 200000};
  (void)setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  ssize_t count = sendto(
      descriptor, bytes, size, MSG_NOSIGNAL, (struct sockaddr *)&address, (socklen_t)length);
  int error = count < 0 ? errno : 0;
  close(descriptor);
  return -error;
}

static volatile sig_atomic_t signal_descriptor = -1;

static void report_signal(int number) {
  int before = errno;
  unsigned char byte = (unsigned char)number;
  /* A full pipe holds enough of them already. */
  ssize_t ignored = write(signal_descriptor, &byte, 1);
  (void)ignored;
  errno = before;
}

int verso_catch_signals(int write_descriptor) {
  static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
  int flags = fcntl(write_descriptor, F_GETFL);
  if (flags < 0 || fcntl(write_descriptor, F_SETFL, flags | O_NONBLOCK) != 0) return -errno;
  signal_descriptor = write_descriptor;
  /* Whoever started this may have had them blocked, and a new program inherits that. */
  sigset_t wanted;
  sigemptyset(&wanted);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction old, action;
    if (sigaction(numbers[i], NULL, &old) != 0) return -errno;
    /* nohup(1) and a shell's `&` ignore these on purpose. */
    if (numbers[i] != SIGTERM && old.sa_handler == SIG_IGN) continue;
    memset(&action, 0, sizeof action);
    action.sa_handler = report_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[i], &action, NULL) != 0) return -errno;
    sigaddset(&wanted, numbers[i]);
  }
  int result = pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
  return -result;
}

int verso_network_listener(void) {
  int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
  if (descriptor < 0) return -errno;
  struct sockaddr_nl address = {.nl_family = AF_NETLINK,
                                .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR |
                                             RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0) {
    int error = errno;
    close(descriptor);
    return -error;
  }
  return descriptor;
}
