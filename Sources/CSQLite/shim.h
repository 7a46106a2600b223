#include <sqlite3.h>

/// `sqlite3_db_config` takes its arguments as C does, which Swift does not import: leaves the
/// write-ahead log as it is when the last connection closes (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE).
static inline int verso_sqlite_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// The value that makes SQLite copy what is bound; a cast that Swift cannot write.
static inline sqlite3_destructor_type verso_sqlite_copied(void) { return SQLITE_TRANSIENT; }
