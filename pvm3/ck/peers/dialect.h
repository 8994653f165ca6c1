/*
 * dialect.h - what endpoints tell each other, and ask of their daemon, about the ways between them:
 * the kernel says what, and the owner of the endpoint in which words. The owner also says whose an
 * address is.
 *
 * A dialect is a table of functions that any thread may call, with any lock; they do not wait. What
 * makes a message gives it to the caller (message_free), or NULL without memory.
 */
#ifndef CK_PEERS_DIALECT_H
#define CK_PEERS_DIALECT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/un.h>

#include "ck/peers/address.h"
#include "core/message.h"

enum word {
    WORD_NONE,   /* a message of the program */
    WORD_OFFER,  /* a way is offered */
    WORD_ANSWER, /* and granted or denied */
    WORD_OVER,   /* the daemon says that a task is over */
    WORD_ENDED,  /* the daemon ends this task */
    WORD_CARD,   /* how a task is reached by the port far */
    WORD_FENCE,  /* behind it messages come another way */
    WORD_OTHER   /* the owner's own */
};

/* Whether a word is of ways: an offer, an answer, a card, or the end of a task or of this one. */
static inline bool word_is_of_ways(enum word word)
{
    return word == WORD_OFFER || word == WORD_ANSWER || word == WORD_OVER || word == WORD_ENDED ||
           word == WORD_CARD;
}

#define OFFER_SECRET_SIZE 32

/* Room for the text of an address: a path, or hhhhhhhh:pppp. */
#define OFFER_ADDRESS_SIZE sizeof(((struct sockaddr_un *)NULL)->sun_path)

/*
 * The sender listens at `address`. If it is secretive, a peer that connects is to say the secret.
 */
struct offer {
    char *address;
    bool secretive;
    unsigned char secret[OFFER_SECRET_SIZE];
};

/* `address` is where the answering side listens; secretive: it asks for the secret. */
struct answer {
    bool granted;
    char *address;
    bool secretive;
};

/*
 * Where the port far reaches the sender; without an address it does not. The attempt differs from
 * the last one when the sender has found its way broken.
 */
struct card {
    bool asks; /* for the receiver's card */
    uint32_t attempt;
    unsigned char *address;
    size_t size;
};

struct dialect {
    struct addressing addressing;
    int32_t context; /* of all words; messages of the program have others, mostly */
    enum word (*word)(const struct message_header *header); /* of one that has this context */
    struct message *(*offer)(const struct offer *offer);
    struct message *(*answer)(const struct answer *answer);
    struct message *(*card)(const struct card *card);
    struct message *(*fence)(uint32_t number); /* of the call that the fence belongs to */

    /*
     * For the daemon: to say when `peer` is over; to send the next message to all of a list.
     */
    struct message *(*watch)(uint32_t peer);
    struct message *(*list)(const uint32_t *addresses, int count);

    /*
     * Whether a message for the daemon is the last word of its sender: that it leaves. NULL in place
     * of the function: there are none.
     */
    bool (*last)(const struct message_header *header);

    /*
     * The context of urgent messages: they are for the owner itself, which takes them (intercept) also
     * while no thread waits, if one stands by (wait.h). 0: there are none.
     */
    int32_t urgent;

    /*
     * What was said; false if it is not understood. The address becomes the caller's (free) in
     * either case, and may be NULL then.
     */
    bool (*take_offer)(const struct message *message, struct offer *offer);
    bool (*take_answer)(const struct message *message, struct answer *answer);
    bool (*take_card)(const struct message *message, struct card *card);
    uint32_t (*take_fence)(const struct message *message);

    /*
     * The address of the task that is over, as a message of the daemon to the program or to us
     * says; ADDRESS_NONE: the message says more.
     */
    uint32_t (*take_over)(const struct message *message);

    /*
     * The receipt for a message with a wait id that a receive has got; NULL for a message whose
     * sender waits for none, such as a receipt. NULL in place of the function: no receipts.
     */
    struct message *(*receipt)(const struct message *message);
};

static inline bool dialect_is_urgent(const struct dialect *dialect,
                                     const struct message_header *header)
{
    return dialect->urgent != 0 && header->context == dialect->urgent;
}

/* What a message says of ways, at hardly any cost for a message of the program. */
static inline enum word dialect_word(const struct dialect *dialect,
                                     const struct message_header *header)
{
    return header->context == dialect->context ? dialect->word(header) : WORD_NONE;
}

#endif
