#ifndef VERSO_CGIT2_SHIM_H
#define VERSO_CGIT2_SHIM_H
#include <git2.h>
#include <git2/sys/commit.h>
#include <git2/sys/index.h>
#include <git2/sys/repository.h>
#include <git2/sys/odb_backend.h>

/* git_libgit2_opts is variadic, and Swift imports no variadic function. */
static inline int verso_git_opts_int(int option, int value) {
  return git_libgit2_opts(option, value);
}
static inline int verso_git_opts_search_path(int level, const char *path) {
  return git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, path);
}
#endif
