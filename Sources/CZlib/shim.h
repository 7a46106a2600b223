#ifndef VERSO_CZLIB_SHIM_H
#define VERSO_CZLIB_SHIM_H
#include <zlib.h>
/* deflateInit is a macro. */
static inline int verso_deflate_init(z_stream *stream, int level) { return deflateInit(stream, level); }
static inline int verso_inflate_init(z_stream *stream) { return inflateInit(stream); }
#endif
