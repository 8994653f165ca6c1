/* Tasks send each other streams of messages, all at once, and check every word and the order.
 *
 * usage: streams
 * Prints its tid in hexadecimal. A line of input "COUNT TID..." begins a round: to each of the
 * tasks it sends COUNT messages, and the same by multicast, while it takes what they send, the same
 * number. At the end it prints "good N", N messages taken, or else what is wrong. The end of input
 * ends it.
 */
#include <pvm3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PEERS = 8, MOST_WORDS = 6000, TAG_SEND = 1, TAG_MULTICAST = 2, TAGS = 3 };

static int peers[MOST_PEERS], peer_count, own, round_number;
static int taken[MOST_PEERS][TAGS];
static int words[MOST_WORDS];
static const char *wrong;

/* From nothing to several packets. */
static int length_of(int number)
{
    static const int lengths[] = {1, 7, 300, 1000, 1008, 1100, 2100, 20, MOST_WORDS};
    return lengths[number % (int)(sizeof lengths / sizeof *lengths)];
}

static int word_of(int sender, int tag, int number, int place)
{
    unsigned word = (unsigned)sender * 2654435761u + (unsigned)(tag + 4 * round_number) * 40503u;
    word = (word ^ (unsigned)number) * 2246822519u;
    return (int)((word ^ (unsigned)place) * 3266489917u);
}

static void pack(int tag, int number)
{
    int length = length_of(number);
    for (int i = 0; i < length; i++)
        words[i] = word_of(own, tag, number, i);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&number, 1, 1);
    pvm_pkint(words, length, 1);
}

static int peer_of(int sender)
{
    int peer = 0;
    while (peer < peer_count && peers[peer] != sender)
        peer++;
    return peer;
}

static void verify(int buffer)
{
    int bytes, tag, sender, number;

    pvm_bufinfo(buffer, &bytes, &tag, &sender);
    int peer = peer_of(sender), expected = peer < peer_count ? taken[peer][tag]++ : -1;
    if (pvm_upkint(&number, 1, 1) < 0 || number != expected)
        wrong = "another message was expected";
    else if (bytes != 4 * (1 + length_of(number)) || pvm_upkint(words, length_of(number), 1) < 0)
        wrong = "a message has another length";
    else
        for (int i = 0; i < length_of(number); i++)
            if (words[i] != word_of(sender, tag, number, i))
                wrong = "a word is not the one that was sent";
}

static void send_all(int number)
{
    pack(TAG_SEND, number);
    for (int i = 0; i < peer_count; i++)
        pvm_send(peers[i], TAG_SEND);
    pack(TAG_MULTICAST, number);
    pvm_mcast(peers, peer_count, TAG_MULTICAST);
}

static void converse(int count)
{
    int buffer, good = 0, all = 2 * count * peer_count;

    memset(taken, 0, sizeof taken);
    wrong = NULL;
    for (int number = 0; number < count; number++) {
        send_all(number);
        for (; (buffer = pvm_nrecv(-1, -1)) > 0; good++)
            verify(buffer);
    }
    for (; good < all && !wrong && (buffer = pvm_recv(-1, -1)) > 0; good++)
        verify(buffer);
    if (wrong)
        printf("%s\n", wrong);
    else
        printf("good %d\n", good);
}

int main(void)
{
    static char line[1024];

    setvbuf(stdout, NULL, _IOLBF, 0);
    own = pvm_mytid();
    printf("%x\n", (unsigned)own);
    for (; fgets(line, sizeof line, stdin); round_number++) {
        int count = atoi(strtok(line, " \n"));
        peer_count = 0;
        for (char *word; (word = strtok(NULL, " \n")) && peer_count < MOST_PEERS;)
            peers[peer_count++] = (int)strtoul(word, NULL, 16);
        converse(count);
    }
    pvm_exit();
    return 0;
}
