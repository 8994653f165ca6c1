/* What does a message and its answer take through the PVM calls? test/kernel/echo.c does the same without them.
 *
 * usage: echo BYTES MESSAGES BATCHES
 *
 * Prints for each batch a line "@echo ns=N". Both are packed by the sender and unpacked by the receiver; the answer is
 * the received buffer, sent back as it is.
 */
#define _GNU_SOURCE
#include <pvm3.h>
#include <string.h>
#include <sys/wait.h>

#include "batch.h"
#include "pipes.h"

enum { MOST_BYTES = 1 << 20, DATA = 1 };

static int bytes, messages, batches;

static void serve(int client)
{
    for (int i = 0; i < messages * batches; i++) {
        int buffer = pvm_recv(client, DATA);
        if (buffer < 0 || pvm_setsbuf(buffer) < 0 || pvm_send(client, DATA) < 0)
            fail("cannot answer");
        pvm_freebuf(pvm_setsbuf(0));
    }
}

static void ask(int server, int number)
{
    static char text[MOST_BYTES], answer[MOST_BYTES];
    memcpy(text, &number, sizeof number);
    pvm_initsend(PvmDataRaw);
    pvm_pkbyte(text, bytes, 1);
    if (pvm_send(server, DATA) < 0 || pvm_recv(server, DATA) < 0 || pvm_upkbyte(answer, bytes, 1) < 0)
        fail("cannot ask");
    if (memcmp(text, answer, (size_t)bytes) != 0)
        fail("the answer is another message");
}

static void measure(int server)
{
    for (int batch = 0; batch < batches; batch++) {
        int64_t begin = batch_now();
        for (int i = 0; i < messages; i++)
            ask(server, batch * messages + i);
        printf("@echo ns=%.1f\n", (double)(batch_now() - begin) / messages);
    }
}

int main(int count, char **words)
{
    int there[2], back[2], status = 1;
    if (count != 4 || (bytes = atoi(words[1])) < (int)sizeof(int) || bytes > MOST_BYTES)
        fail("usage: echo BYTES MESSAGES BATCHES");
    messages = atoi(words[2]);
    batches = atoi(words[3]);
    if (pipe(there) < 0 || pipe(back) < 0)
        fail("no pipe");
    if (fork() == 0) {
        put(back[1], pvm_mytid());
        serve(get(there[0]));
        pvm_exit();
        return 0;
    }
    put(there[1], pvm_mytid());
    measure(get(back[0]));
    pvm_exit();
    wait(&status);
    return status != 0;
}
