/* machine_key.c - making, telling and deriving. */
#include "daemon/post/machine_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/xdr.h"

#define DIGITS        "0123456789abcdef"
#define SECRET_DIGITS (2 * KEYED_HASH_KEY_SIZE)
#define SALT_DIGITS   16
#define SECRETS_SIZE  (SECRET_DIGITS + 1 + SALT_DIGITS)

static uint64_t machine_key_new_salt(void)
{
    uint64_t salt;
    do
        keyed_hash_random(&salt, sizeof salt);
    while (salt == 0);
    return salt;
}

bool machine_key_make(struct machine_key *key, uint32_t own, bool secrecy)
{
    if (!keyed_hash_start())
        return false;
    keyed_hash_random(key->secret, sizeof key->secret);
    key->salts[own] = machine_key_new_salt();
    key->secrecy = secrecy;
    key->known = true;
    return true;
}

void machine_key_write(const struct machine_key *key, uint32_t own,
                       char text[MACHINE_KEY_TEXT_SIZE])
{
    for (int i = 0; i < KEYED_HASH_KEY_SIZE; i++)
        snprintf(text + (size_t)2 * (size_t)i, 3, "%02x", key->secret[i]);
    snprintf(text + SECRET_DIGITS, MACHINE_KEY_TEXT_SIZE - SECRET_DIGITS, ".%016" PRIx64 ".%d",
             key->salts[own], key->secrecy);
}

bool machine_key_read(struct machine_key *key, const char *text, uint32_t master, uint32_t own)
{
    if (strlen(text) != MACHINE_KEY_TEXT_SIZE - 1 || strspn(text, DIGITS) != SECRET_DIGITS ||
        text[SECRET_DIGITS] != '.' || strspn(text + SECRET_DIGITS + 1, DIGITS) != SALT_DIGITS ||
        (strcmp(text + SECRETS_SIZE, ".0") != 0 && strcmp(text + SECRETS_SIZE, ".1") != 0) ||
        !keyed_hash_start())
        return false;
    key->salts[master] = strtoull(text + SECRET_DIGITS + 1, NULL, 16);
    if (key->salts[master] == 0)
        return false;
    for (int i = 0; i < KEYED_HASH_KEY_SIZE; i++)
        sscanf(text + (size_t)2 * (size_t)i, "%2hhx", &key->secret[i]);
    key->secrecy = text[SECRETS_SIZE + 1] == '1';
    key->salts[own] = machine_key_new_salt();
    key->known = true;
    return true;
}

/* Both sides write the lower index first. */
bool machine_key_of_pair(const struct machine_key *key, uint32_t one, uint32_t other,
                         unsigned char pair[KEYED_HASH_KEY_SIZE])
{
    const uint32_t indices[] = {one < other ? one : other, one < other ? other : one};
    unsigned char about[2 * 3 * XDR_WORD];
    const struct iovec part = {about, sizeof about};
    if (!key->known || key->salts[one] == 0 || key->salts[other] == 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        unsigned char *at = about + i * sizeof about / 2;
        xdr_store(at, indices[i]);
        xdr_store(at + XDR_WORD, (uint32_t)(key->salts[indices[i]] >> 32));
        xdr_store(at + (size_t)2 * XDR_WORD, (uint32_t)key->salts[indices[i]]);
    }
    keyed_hash(key->secret, &part, 1, pair, KEYED_HASH_KEY_SIZE);
    return true;
}
