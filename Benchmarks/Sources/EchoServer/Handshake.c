#define _GNU_SOURCE
#include "Handshake.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint32_t rotated(uint32_t word, int count) { return word << count | word >> (32 - count); }

// FIPS 180-4, section 6.1.2; the text has at most 119 bytes, which are two blocks.
static void sha1(const char *text, uint8_t hash[20]) {
  uint8_t blocks[128] = {0};
  size_t count = strlen(text), end = count < 56 ? 64 : 128;
  memcpy(blocks, text, count);
  blocks[count] = 0x80;
  for (int index = 0; index < 8; index++) blocks[end - 1 - index] = (uint8_t)((uint64_t)count * 8 >> (8 * index));
  uint32_t state[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (uint8_t *block = blocks; block < blocks + end; block += 64) {
    uint32_t w[80];
    for (int t = 0; t < 16; t++)
      w[t] = (uint32_t)block[4 * t] << 24 | block[4 * t + 1] << 16 | block[4 * t + 2] << 8 | block[4 * t + 3];
    for (int t = 16; t < 80; t++) w[t] = rotated(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int t = 0; t < 80; t++) {
      uint32_t f = t < 20 ? (b & c) | (~b & d) : t < 40 || t >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
      uint32_t k = t < 20 ? 0x5a827999 : t < 40 ? 0x6ed9eba1 : t < 60 ? 0x8f1bbcdc : 0xca62c1d6;
      uint32_t next = rotated(a, 5) + f + e + k + w[t];
      e = d, d = c, c = rotated(b, 30), b = a, a = next;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e;
  }
  for (int index = 0; index < 20; index++) hash[index] = (uint8_t)(state[index / 4] >> (24 - index % 4 * 8));
}

// The 20 bytes of a hash become 28 characters.
static void base64(const uint8_t hash[20], char text[29]) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int index = 0; index < 7; index++) {
    const uint8_t *bytes = hash + 3 * index;
    uint32_t group = (uint32_t)bytes[0] << 16 | bytes[1] << 8 | (index < 6 ? bytes[2] : 0);
    for (int digit = 0; digit < 4; digit++) text[4 * index + digit] = digits[group >> (18 - 6 * digit) & 63];
  }
  strcpy(text + 27, "=");
}

size_t handshake_response(const char *request, bool compresses, char *response, size_t capacity) {
  static const char field[] = "\r\nSec-WebSocket-Key: ";
  const char *key = strcasestr(request, field);
  if (!key) return 0;
  key += sizeof field - 1;
  char text[120], accept[29];
  uint8_t hash[20];
  snprintf(text, sizeof text, "%.*s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", (int)strcspn(key, "\r"), key);
  if (strlen(text) > 119) return 0;
  sha1(text, hash);
  base64(hash, accept);
  int count = snprintf(response, capacity,
                       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Accept: %s\r\n%s\r\n",
                       accept, compresses ? "Sec-WebSocket-Extensions: permessage-deflate\r\n" : "");
  return count > 0 && (size_t)count < capacity ? (size_t)count : 0;
}
