/* A task to be spawned: does what its first argument says, for the tests of its parents.
 *
 * child report TAG     sends its parent, under TAG: tid, context, number of arguments, the
 *                      arguments, the value of REPORTED in its environment ("" if unset), and its
 *                      working directory
 * child wait           waits for any message and ends
 * child exempt         is left alone by resets, sends its parent tag 4, and waits likewise
 * child exit CODE      leaves the virtual machine and ends with CODE
 * child echo           sends each message back to where it came from, until one has tag 0
 * child parent         sends what pvm_parent gives under tag 7 to its parent, or else to the task
 *                      whose tid is in the mailbox "asker"
 * child redirect TAG   makes its parent the collector of its output, under TAG, and prints a line
 * child siblings TAG   sends its parent, under TAG: the number of its siblings and their tids
 * child print TEXT     prints it as it is
 * child talk TEXT MORE prints TEXT, tells its parent so under tag 5, waits for tag 6 and prints
 *                      MORE
 * child grand TEXT     spawns a child that prints TEXT
 * child end WAY        joins the group "ends", has an entry "ends" in a mailbox, says so under tag
 *                      5, waits for tag 6, sends tags 1, 2, 3 and 4, waits for tag 6, and ends: WAY
 *                      is wait, exit, return, status, abort, killed, another, or away (for ever)
 */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void report(int argc, char **argv)
{
    char folder[4096] = "";
    int tid = pvm_mytid(), context = pvm_getcontext();
    const char *reported = getenv("REPORTED");

    pvm_initsend(PvmDataDefault);
    pvm_pkint(&tid, 1, 1);
    pvm_pkint(&context, 1, 1);
    pvm_pkint(&argc, 1, 1);
    for (int i = 0; i < argc; i++)
        pvm_pkstr(argv[i]);
    pvm_pkstr(reported ? (char *)reported : "");
    pvm_pkstr(getcwd(folder, sizeof folder) ? folder : "");
    pvm_send(pvm_parent(), atoi(argv[2]));
}

static void siblings_report(const char *tag)
{
    int *tids, count = pvm_siblings(&tids);

    pvm_initsend(PvmDataDefault);
    pvm_pkint(&count, 1, 1);
    pvm_pkint(tids, count, 1);
    pvm_send(pvm_parent(), atoi(tag));
}

static void echo(void)
{
    int tag = 0, source = 0;

    for (;;) {
        pvm_bufinfo(pvm_recv(-1, -1), NULL, &tag, &source);
        if (tag == 0)
            return;
        pvm_setsbuf(pvm_setrbuf(0));
        pvm_send(source, tag);
        pvm_freebuf(pvm_getsbuf());
    }
}

static void parent_report(void)
{
    int parent = pvm_parent(), asker = parent;

    if (parent < 0)
        pvm_lookup("asker", 0, &asker);
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&parent, 1, 1);
    pvm_send(asker, 7);
}

static void exempt(void)
{
    pvm_setopt(PvmNoReset, 1);
    pvm_initsend(PvmDataDefault);
    pvm_send(pvm_parent(), 4);
    pvm_recv(-1, -1);
}

static void redirect(const char *tag)
{
    pvm_setopt(PvmSelfOutputTid, pvm_parent());
    pvm_setopt(PvmSelfOutputCode, atoi(tag));
    printf("redirected\n");
}

static void talk(const char *text, const char *more)
{
    fputs(text, stdout);
    fflush(stdout);
    pvm_initsend(PvmDataDefault);
    pvm_send(pvm_parent(), 5);
    pvm_recv(pvm_parent(), 6);
    fputs(more, stdout);
}

static void grand(char *text)
{
    char *arguments[] = {"print", text, NULL};
    int tid;

    pvm_spawn("child", arguments, PvmTaskDefault, "", 1, &tid);
}

static void send_empty(int tag)
{
    pvm_initsend(PvmDataDefault);
    pvm_send(pvm_parent(), tag);
}

static int end(const char *way)
{
    int parent = pvm_parent();

    pvm_joingroup("ends");
    pvm_initsend(PvmDataDefault);
    pvm_putinfo("ends", pvm_getsbuf(), PvmMboxDefault);
    send_empty(5);
    pvm_recv(parent, 6);
    for (int tag = 1; tag < 5; tag++)
        send_empty(tag);
    pvm_recv(parent, 6);
    if (strcmp(way, "return") == 0)
        return 0;
    if (strcmp(way, "status") == 0)
        _exit(7);
    if (strcmp(way, "abort") == 0)
        abort();
    if (strcmp(way, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(way, "another") == 0)
        execl("/bin/true", "true", NULL);
    if (strcmp(way, "wait") == 0)
        pvm_recv(parent, 6);
    pvm_exit();
    if (strcmp(way, "away") == 0)
        pause();
    return 0;
}

int main(int argc, char **argv)
{
    int code = 0;

    if (pvm_mytid() < 0 || argc < 2)
        return 2;
    if (strcmp(argv[1], "end") == 0)
        return end(argv[2]);
    if (strcmp(argv[1], "report") == 0)
        report(argc, argv);
    else if (strcmp(argv[1], "wait") == 0)
        pvm_recv(-1, -1);
    else if (strcmp(argv[1], "siblings") == 0)
        siblings_report(argv[2]);
    else if (strcmp(argv[1], "exempt") == 0)
        exempt();
    else if (strcmp(argv[1], "echo") == 0)
        echo();
    else if (strcmp(argv[1], "parent") == 0)
        parent_report();
    else if (strcmp(argv[1], "redirect") == 0)
        redirect(argv[2]);
    else if (strcmp(argv[1], "print") == 0)
        fputs(argv[2], stdout);
    else if (strcmp(argv[1], "talk") == 0)
        talk(argv[2], argv[3]);
    else if (strcmp(argv[1], "grand") == 0)
        grand(argv[2]);
    else
        code = atoi(argv[2]);
    pvm_exit();
    return code;
}
