#ifndef VERSO_CNCURSES_SHIM_H
#define VERSO_CNCURSES_SHIM_H
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* setupterm's outputs are macros and globals that Swift 6 refuses as shared mutable state. */

/* setupterm(3X) of `name`, or of the environment's TERM where that is NULL: 0, or -1 where the
   database is missing, -2 where it has no such terminal, -3 where that is too dumb. */
static inline int verso_terminal_load(const char *name, int descriptor) {
  int error = 0;
  if (setupterm((char *)name, descriptor, &error) == OK) return 0;
  return error == 1 ? -3 : error == 0 ? -2 : -1;
}
static inline void verso_terminal_unload(void) {
  if (cur_term) del_curterm(cur_term);
}
/* A capability of the terminal that was loaded; NULL or a negative number where it has none. */
static inline const char *verso_terminal_text(const char *capability) {
  char *text = tigetstr((char *)capability);
  return text == (char *)-1 ? (char *)0 : text;
}
static inline int verso_terminal_number(const char *capability) {
  return tigetnum((char *)capability);
}
static inline int verso_terminal_flag(const char *capability) {
  return tigetflag((char *)capability) > 0;
}
/* tparm(3X) with two numbers; valid until the next call. */
static inline const char *verso_terminal_expand(const char *text, long first, long second) {
  return tparm((char *)text, first, second, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
}
#endif
