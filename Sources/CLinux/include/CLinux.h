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

/* A long option for verso_parse_options. `takes_value`: 0 or 1. `code` is what the callback gets;
   for the short form that is the character itself. */
struct verso_option {
  const char *name;
  int takes_value, code;
};
/* How verso_parse_options ended. `problem`: 0, '?' (unknown, ambiguous, or a value where none
   belongs) or ':' (a value is missing); then `code` is the option's code or character, 0 where no
   option has that name, and `word` the word of argv that holds it. */
struct verso_options_end {
  int first_operand, problem, code;
  const char *word;
};
/* getopt_long(3) to its end in one call and under a lock, for its state is global; argv is permuted
   so that operands come last. `each` is called for every option, with NULL where there is no value.
   `shorts` starts with '+' or ':'. */
void verso_parse_options(int argc, char **argv, const char *shorts,
                         const struct verso_option *longs, int long_count, void *context,
                         void (*each)(void *context, int code, const char *value),
                         struct verso_options_end *end);
/* wcwidth(3) of each code point in the C.UTF-8 locale, whatever the process has set; 1 where that
   locale is missing. The calling thread's locale is put back. */
void verso_column_widths(const uint32_t *scalars, size_t count, int8_t *widths);

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

/* posix_spawn(3): the three descriptors become 0, 1 and 2, all others are closed, the working
   directory is `directory` unless that is NULL. The child leads a process group of its own and has
   no signal blocked or ignored. Returns its id. */
int verso_spawn(const char *program, char *const arguments[], char *const environment[],
                const char *directory, const int descriptors[3]);
/* As verso_spawn, for a program that must not outlive this process: it gets SIGTERM when the calling
   thread ends (prctl(2), PR_SET_PDEATHSIG). It leads a session of its own and so has no terminal to
   ask on; or, where `terminal` is a descriptor of this process's terminal and not -1, a process group
   that has the terminal's foreground until verso_take_terminal. */
int verso_spawn_apart(const char *program, char *const arguments[], char *const environment[],
                      const char *directory, const int descriptors[3], int terminal);
/* Whether a child was stopped, by Ctrl-Z for example, since this was last asked. */
int verso_has_stopped(int process);
/* tcsetpgrp(3), also from the background. */
int verso_take_terminal(int terminal, int group);
/* Waits at most so many milliseconds until a child has ended, without reaping it: 1 or 0. */
int verso_wait_for_child(int process, int milliseconds);
/* Runs a command line of sh(1) with a path as its last argument, on the terminal, and waits for it. Returns
   its exit status, 128 for a signal, or -errno. */
int verso_run_editor(const char *command, const char *path);

/* syncfs(2): 0 or -errno. */
int verso_syncfs(int descriptor);

/* inotify_init1(2), non-blocking. */
int verso_inotify(void);
/* inotify_add_watch(2) of the folder that a descriptor is, whatever its path leads to by now. Returns
   the watch; that of an inode which is watched already is the same. */
int verso_inotify_add(int descriptor, int folder, unsigned mask);
/* A netlink(7) socket that becomes readable when an address or a route of the machine changes. */
int verso_network_listener(void);
/* inotify_rm_watch(2). */
int verso_inotify_remove(int descriptor, int watch);
/* eventfd(2), non-blocking: 8 bytes written wake whoever polls it. */
int verso_event_counter(void);

/* A listening stream socket at a path (unix(7)) with mode 0600, or a stream socket connected to
   one; both never block and are closed on exec. -ENAMETOOLONG where the path does not fit an
   address. verso_connect: -EAGAIN where the listener accepts nobody any more. */
int verso_listen(const char *path);
int verso_connect(const char *path);
/* accept4(2); the new socket never blocks and is closed on exec. */
int verso_accept(int descriptor);
/* Who has connected, or who listens: SO_PEERCRED, socket(7). */
int verso_peer(int descriptor, uint32_t *user, int32_t *process);
/* send(2) without waiting and without SIGPIPE. */
ssize_t verso_send(int descriptor, const void *bytes, size_t size);
/* Sends one datagram to a path, or to an abstract name that starts with '@'; waits at most 0.2 s. */
int verso_send_datagram(const char *path, const void *bytes, size_t size);
/* From here on SIGTERM, SIGINT and SIGHUP write their number, as a byte, to a pipe, which is made
   non-blocking; SIGINT and SIGHUP stay ignored where they are. For programs, never for a library:
   it is the process's own business what its signals do. */
int verso_catch_signals(int write_descriptor);
/* Takes the terminal for a full-screen program: raw mode (termios(3)), and handlers for signals.
   Those of programming errors (SIGTRAP, SIGSEGV and their like, SIGQUIT) write `leave`, put the
   terminal's settings back and let the signal act as it did before; exit(3) puts them back too.
   SIGWINCH, SIGCONT, SIGTSTP, SIGTERM, SIGHUP and SIGINT become a byte each, their number, in the
   pipe `wake`, which becomes non-blocking; those that are ignored stay so. -EBUSY where a terminal is
   held already. */
int verso_terminal_hold(int input, int output, const uint8_t *leave, size_t size, int wake);
/* Writes what was given as `leave`, and puts back the terminal's settings and all handlers. */
void verso_terminal_release(void);
/* Stops this process's job as Ctrl-Z does, and returns when it goes on; to be called while no
   terminal is held. */
int verso_terminal_stop(void);

#endif
