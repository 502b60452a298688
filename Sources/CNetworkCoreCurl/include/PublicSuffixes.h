// Looks up public suffixes with libpsl, loaded at run time.

#ifndef CCURL_PUBLIC_SUFFIXES_H
#define CCURL_PUBLIC_SUFFIXES_H

/// Whether a domain is a public suffix.
typedef enum {
  /// libpsl cannot be opened.
  CCURL_SUFFIX_UNKNOWN,
  CCURL_SUFFIX_PRIVATE,
  CCURL_SUFFIX_PUBLIC,
} ccurl_suffix;

/// Returns whether anyone can register a name under a domain; may be called on any thread.
ccurl_suffix ccurl_public_suffix(const char *domain);

#endif
