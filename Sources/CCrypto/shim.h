#ifndef VERSO_CCRYPTO_SHIM_H
#define VERSO_CCRYPTO_SHIM_H
/* The low-level SHA-1 calls have a copyable state, which the EVP interface does not; the index
   patch needs to resume from one. OpenSSL 3 marks them deprecated but keeps them. */
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/sha.h>
#endif
