#ifndef VERSO_CLINUX_H
#define VERSO_CLINUX_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Calls that glibc hides without _GNU_SOURCE or does not wrap at all. Every one returns the
   result, or the negated errno. */

/* Constants that glibc hides without _GNU_SOURCE. */
static const int verso_o_path = 010000000;
static const int verso_at_empty_path = 0x1000;

struct verso_stat {
  uint64_t device, inode, size;
  int64_t mtime_sec, ctime_sec, btime_sec; /* btime_sec is INT64_MIN where unknown */
  uint32_t mtime_nsec, ctime_nsec, btime_nsec;
  uint32_t mode, uid, gid, links;
};

/* statx(2). flags: AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH. */
int verso_statx(int directory, const char *path, int flags, struct verso_stat *result);
/* openat2(2) with RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS; -ENOSYS where the
   kernel has none. */
int verso_open_beneath(int directory, const char *path, int flags, unsigned mode);
/* renameat2(2); flags: 1 NOREPLACE, 2 EXCHANGE. */
int verso_renameat2(int old_directory, const char *old_path, int new_directory,
                    const char *new_path, unsigned flags);
/* getdents64(2). */
ssize_t verso_getdents(int directory, void *buffer, size_t size);
/* fcntl(F_SETLEASE); type: F_RDLCK, F_WRLCK, F_UNLCK. Sets F_SETSIG to SIGURG first, which nothing
   dies of. */
int verso_set_lease(int descriptor, int type);
/* name_to_handle_at(2): writes type and bytes, returns the length. */
int verso_file_handle(int directory, const char *path, void *buffer, size_t size);
/* flock(2) without waiting. */
int verso_try_flock(int descriptor);
/* fcntl(2) with no third argument, or an int one: variadic, so not imported. */
int verso_fcntl(int descriptor, int command, int argument);
/* ioctl(TIOCGWINSZ): columns << 16 | rows, or 0. */
unsigned verso_window_size(int descriptor);
int verso_memfd(const char *name);
/* statfs(2): f_type and f_fsid. */
int verso_statfs(int descriptor, uint64_t *type, uint64_t *identity, uint64_t *free_bytes);
/* The process environment, as execve takes it. */
char **verso_environment(void);

/* O_TMPFILE, whose value depends on the processor. */
extern const int verso_o_tmpfile;
/* flistxattr(2), fgetxattr(2), fsetxattr(2), fremovexattr(2). */
ssize_t verso_list_attributes(int descriptor, void *buffer, size_t size);
ssize_t verso_attribute(int descriptor, const char *name, void *buffer, size_t size);
int verso_set_attribute(int descriptor, const char *name, const void *value, size_t size);
int verso_remove_attribute(int descriptor, const char *name);
/* flock(2), LOCK_UN. */
int verso_unlock(int descriptor);
/* linkat(2) of what the descriptor is, also a file that has no name yet (O_TMPFILE). */
int verso_link_descriptor(int descriptor, int directory, const char *path);
#endif
