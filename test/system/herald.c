/*
 * A task spawns another one, which greets it with a string; with the argument `wait` it waits for a
 * message that nobody sends instead.
 */
#include <pvm3.h>

#include <stdio.h>
#include <string.h>

enum { TAG_GREETING = 1 };

static int greet(int parent)
{
    pvm_initsend(PvmDataDefault);
    pvm_pkstr("hello");
    return pvm_send(parent, TAG_GREETING);
}

static int be_greeted(char *program)
{
    char text[100], *arguments[] = {NULL};
    int tid;
    if (pvm_spawn(program, arguments, PvmTaskDefault, "", 1, &tid) != 1)
        return -1;
    int result = pvm_recv(tid, TAG_GREETING);
    if (result > 0 && pvm_upkstr(text) == 0)
        printf("%s from t%x\n", text, (unsigned)tid);
    return result;
}

int main(int count, char **word)
{
    int parent = pvm_parent(), result;
    if (parent > 0)
        result = greet(parent);
    else if (count > 1 && strcmp(word[1], "wait") == 0)
        result = pvm_recv(-1, TAG_GREETING);
    else
        result = be_greeted(word[0]);
    pvm_exit();
    return result < 0;
}
