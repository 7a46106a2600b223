#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/openat2.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <wchar.h>

static int result(long value) { return value < 0 ? -errno : (int)value; }

int verso_statx(int directory, const char *path, int flags, struct verso_stat *out) {
  struct statx s;
  if (statx(directory, path, flags, STATX_BASIC_STATS | STATX_BTIME, &s) != 0) return -errno;
  out->device = makedev(s.stx_dev_major, s.stx_dev_minor);
  out->inode = s.stx_ino;
  out->size = s.stx_size;
  out->mtime_sec = s.stx_mtime.tv_sec;
  out->mtime_nsec = s.stx_mtime.tv_nsec;
  out->ctime_sec = s.stx_ctime.tv_sec;
  out->ctime_nsec = s.stx_ctime.tv_nsec;
  if (s.stx_mask & STATX_BTIME) {
    out->btime_sec = s.stx_btime.tv_sec;
    out->btime_nsec = s.stx_btime.tv_nsec;
  } else {
    out->btime_sec = INT64_MIN;
    out->btime_nsec = 0;
  }
  out->mode = s.stx_mode;
  out->uid = s.stx_uid;
  out->gid = s.stx_gid;
  out->links = s.stx_nlink;
  return 0;
}

int verso_open_beneath(int directory, const char *path, int flags, unsigned mode) {
  struct open_how how;
  memset(&how, 0, sizeof how);
  how.flags = (unsigned)flags;
  /* O_TMPFILE has the bits of O_DIRECTORY in it; a mode without a file to make is EINVAL. */
  how.mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? mode : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return result(syscall(SYS_openat2, directory, path, &how, sizeof how));
}

int verso_renameat2(int old_directory, const char *old_path, int new_directory,
                    const char *new_path, unsigned flags) {
  return result(renameat2(old_directory, old_path, new_directory, new_path, flags));
}

ssize_t verso_getdents(int directory, void *buffer, size_t size) {
  long n = syscall(SYS_getdents64, directory, buffer, size);
  return n < 0 ? -errno : n;
}

int verso_set_lease(int descriptor, int type) {
  if (type != F_UNLCK) (void)fcntl(descriptor, F_SETSIG, SIGURG);
  return result(fcntl(descriptor, F_SETLEASE, type));
}

int verso_file_handle(int directory, const char *path, void *buffer, size_t size) {
  union {
    struct file_handle handle;
    char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
  } u;
  int mount;
  u.handle.handle_bytes = MAX_HANDLE_SZ;
  if (name_to_handle_at(directory, path, &u.handle, &mount, 0) != 0) return -errno;
  size_t length = sizeof u.handle.handle_type + u.handle.handle_bytes;
  if (length > size) return -EOVERFLOW;
  memcpy(buffer, &u.handle.handle_type, sizeof u.handle.handle_type);
  memcpy((char *)buffer + sizeof u.handle.handle_type, u.handle.f_handle, u.handle.handle_bytes);
  return (int)length;
}

int verso_try_flock(int descriptor) { return result(flock(descriptor, LOCK_EX | LOCK_NB)); }
int verso_fcntl(int descriptor, int command, int argument) {
  return result(fcntl(descriptor, command, argument));
}

unsigned verso_window_size(int descriptor) {
  struct winsize size;
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0) return 0;
  return (unsigned)size.ws_col << 16 | size.ws_row;
}

int verso_memfd(const char *name) { return result(memfd_create(name, MFD_CLOEXEC)); }

int verso_statfs(int descriptor, uint64_t *type, uint64_t *identity, uint64_t *free_bytes) {
  struct statfs s;
  if (fstatfs(descriptor, &s) != 0) return -errno;
  *type = (uint64_t)s.f_type;
  memcpy(identity, &s.f_fsid, sizeof *identity);
  *free_bytes = (uint64_t)s.f_bavail * (uint64_t)s.f_bsize;
  return 0;
}

extern char **environ;
char **verso_environment(void) { return environ; }

static pthread_mutex_t options_lock = PTHREAD_MUTEX_INITIALIZER;

void verso_parse_options(int argc, char **argv, const char *shorts,
                         const struct verso_option *longs, int long_count, void *context,
                         void (*each)(void *context, int code, const char *value),
                         struct verso_options_end *end) {
  struct option *table = calloc((size_t)long_count + 1, sizeof *table);
  if (!table) abort();
  for (int i = 0; i < long_count; i++) {
    table[i].name = longs[i].name;
    table[i].has_arg = longs[i].takes_value ? required_argument : no_argument;
    table[i].val = longs[i].code;
  }
  memset(end, 0, sizeof *end);
  pthread_mutex_lock(&options_lock);
  opterr = 0;
  optind = 0; /* glibc: start anew, see getopt(3), NOTES */
  int code;
  while ((code = getopt_long(argc, argv, shorts, table, NULL)) != -1) {
    if (code == '?' || code == ':') {
      end->problem = code;
      end->code = optopt;
      end->word = optind > 0 && optind <= argc ? argv[optind - 1] : NULL;
      break;
    }
    each(context, code, optarg);
    optarg = NULL;
  }
  end->first_operand = optind;
  pthread_mutex_unlock(&options_lock);
  free(table);
}

static pthread_once_t width_once = PTHREAD_ONCE_INIT;
static locale_t width_locale;
static void make_width_locale(void) {
  width_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

void verso_column_widths(const uint32_t *scalars, size_t count, int8_t *widths) {
  pthread_once(&width_once, make_width_locale);
  locale_t before = width_locale ? uselocale(width_locale) : (locale_t)0;
  for (size_t i = 0; i < count; i++)
    widths[i] = width_locale ? (int8_t)wcwidth((wchar_t)scalars[i]) : 1;
  if (width_locale) uselocale(before);
}

const int verso_o_tmpfile = O_TMPFILE;

ssize_t verso_list_attributes(int descriptor, void *buffer, size_t size) {
  ssize_t n = flistxattr(descriptor, buffer, size);
  return n < 0 ? -errno : n;
}

ssize_t verso_attribute(int descriptor, const char *name, void *buffer, size_t size) {
  ssize_t n = fgetxattr(descriptor, name, buffer, size);
  return n < 0 ? -errno : n;
}

int verso_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
  return result(fsetxattr(descriptor, name, value, size, 0));
}

int verso_remove_attribute(int descriptor, const char *name) {
  return result(fremovexattr(descriptor, name));
}

int verso_unlock(int descriptor) { return result(flock(descriptor, LOCK_UN)); }

int verso_link_descriptor(int descriptor, int directory, const char *path) {
  /* Before Linux 6.10 AT_EMPTY_PATH needs CAP_DAC_READ_SEARCH and says ENOENT without it; the way
     through /proc is the one open(2) describes. */
  if (linkat(descriptor, "", directory, path, AT_EMPTY_PATH) == 0) return 0;
  if (errno != ENOENT) return -errno;
  char source[32];
  snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
  return result(linkat(AT_FDCWD, source, directory, path, AT_SYMLINK_FOLLOW));
}

int verso_syncfs(int descriptor) { return syncfs(descriptor) == 0 ? 0 : -errno; }

int verso_inotify(void) {
  int descriptor = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}

int verso_inotify_add(int descriptor, int folder, unsigned mask) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
  int watch = inotify_add_watch(descriptor, path, mask);
  return watch < 0 ? -errno : watch;
}

int verso_inotify_remove(int descriptor, int watch) {
  return inotify_rm_watch(descriptor, watch) < 0 ? -errno : 0;
}

int verso_event_counter(void) {
  int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor < 0 ? -errno : descriptor;
}
