#ifndef VERSO_CNCURSES_SHIM_H
#define VERSO_CNCURSES_SHIM_H
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* setupterm's outputs are macros and globals that Swift 6 refuses as shared mutable state. */
static inline int verso_terminal_colors(int descriptor) {
  int error = 0;
  if (setupterm((char *)0, descriptor, &error) != OK) return 0;
  int colors = tigetnum((char *)"colors");
  del_curterm(cur_term);
  return colors < 0 ? 0 : colors;
}
#endif
