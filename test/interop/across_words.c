/* What is said: messages, mailboxes, output, trace events; and a reset, which ends it. */
#include "across.h"

int pvmreset(int mytid, int killtasks, char *class, int index);

/* Messages. ------------------------------------------------------------------------------------ */

enum { MOST = 100000 };

static int numbers[MOST];

/* Packs some of each kind, then `count` integers. */
static int bulk_pack(int encoding, int count)
{
    short small = -3;
    double real = 1.0 / 3;
    float single = 2.5f;
    long large = 123456;
    int buffer = pvm_initsend(encoding);

    for (int i = 0; i < count; i++)
        numbers[i] = i * 7;
    if (encoding != PvmDataInPlace) {
        pvm_pkshort(&small, 1, 1);
        pvm_pkdouble(&real, 1, 1);
        pvm_pkfloat(&single, 1, 1);
        pvm_pklong(&large, 1, 1);
        pvm_pkstr("text");
    }
    pvm_pkint(&count, encoding == PvmDataInPlace ? 0 : 1, 1);
    pvm_pkint(numbers, count, 1);
    return buffer;
}

/* What is wrong with a message that was packed so; 0 for nothing. */
static int bulk_check(int encoding, int count)
{
    short small = 0;
    double real = 0;
    float single = 0;
    long large = 0;
    char text[16] = "";
    int found = count;

    if (encoding != PvmDataInPlace) {
        pvm_upkshort(&small, 1, 1);
        pvm_upkdouble(&real, 1, 1);
        pvm_upkfloat(&single, 1, 1);
        pvm_upklong(&large, 1, 1);
        pvm_upkstr(text);
        pvm_upkint(&found, 1, 1);
        if (small != -3 || real != 1.0 / 3 || single != 2.5f || large != 123456 ||
            strcmp(text, "text") != 0 || found != count)
            return 1;
    }
    memset(numbers, 0, sizeof numbers);
    if (pvm_upkint(numbers, count, 1) < 0)
        return 2;
    for (int i = 0; i < count; i++)
        if (numbers[i] != i * 7)
            return 3;
    return 0;
}

static void pass_on(char *words, char *reply)
{
    int encoding, count, to;

    if (sscanf(words, "%d %d %d", &encoding, &count, &to) != 3)
        return;
    pvm_recv(-1, BULK);
    int wrong = bulk_check(encoding, count);
    bulk_pack(encoding, count);
    snprintf(reply, TEXT, "%d %d", wrong, pvm_send(to, BULK));
}

/* A message goes round over all hosts. */
static void round_see(const int *hands, int encoding, int count)
{
    for (int i = MASTER; i < FIFTH; i++)
        tell(hands[i], "pass %d %d %d", encoding, count, i + 1 < FIFTH ? hands[i + 1] : me);
    bulk_pack(encoding, count);
    printf("encoding %d, %d integers: %d", encoding, count, pvm_send(hands[MASTER], BULK));
    for (int i = MASTER; i < FIFTH; i++)
        printf(", %s", answer(hands[i]));
    pvm_recv(hands[FOURTH], BULK);
    printf(": %d\n", bulk_check(encoding, count));
}

/* Many at once, which none overtakes. */
static void order_see(const int *hands)
{
    enum { MANY = 100 };
    int right = 0;

    for (int i = MASTER; i < FIFTH; i++)
        for (int value = 0; value < MANY; value++) {
            pvm_initsend(PvmDataDefault);
            pvm_pkint(&value, 1, 1);
            pvm_pkint(numbers, value % 3 * 2000, 1);
            pvm_send(hands[i], BULK);
        }
    for (int i = MASTER; i < FIFTH; i++)
        right += atoi(ask(hands[i], "count %d", MANY));
    SEE(right);
}

static int count_in_order(int many)
{
    int right = 0, value = -1;

    for (int i = 0; i < many; i++) {
        pvm_recv(-1, BULK);
        pvm_upkint(&value, 1, 1);
        right += value == i;
    }
    return right;
}

void messages_see(void)
{
    static const int encodings[] = {PvmDataDefault, PvmDataRaw, PvmDataInPlace};
    static const int counts[] = {0, 1, 990, 1008, 1016, 5000, MOST};
    int hands[HOSTS];

    hands_start(hands, FIFTH);
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++)
        for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++)
            round_see(hands, encodings[i], counts[j]);
    order_see(hands);
    for (int i = MASTER; i < FIFTH; i++) {
        char bytes[10000];
        int tid, tag, length;
        memset(bytes, i, sizeof bytes);
        tell(hands[i], "psend %d", me);
        SEE(pvm_psend(hands[i], BULK, bytes, sizeof bytes, PVM_BYTE));
        printf("psend: %s\n", answer(hands[i]));
        SEE(pvm_precv(-1, WRITTEN, bytes, sizeof bytes, PVM_BYTE, &tid, &tag, &length));
        printf("from %s: %d %d %d\n", place(tid), tag, length, bytes[length - 1]);
    }
    hands_end(hands, FIFTH);
}

void multicasts_see(void)
{
    static const int counts[] = {0, 1, 1000, 1008, 5000, MOST};
    int hands[2 * HOSTS], all = 2 * FIFTH;

    hands_start(hands, FIFTH);
    hands_start(hands + FIFTH, FIFTH);
    for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++) {
        for (int i = 0; i < all; i++)
            tell(hands[i], "pass %d %d %d", PvmDataDefault, counts[j], 0x3fc0001);
        bulk_pack(PvmDataDefault, counts[j]);
        printf("to all, %d integers: %d", counts[j], pvm_mcast(hands, all, BULK));
        for (int i = 0; i < all; i++)
            printf(" %c", answer(hands[i])[0]);
        printf("\n");
    }
    for (int i = 0; i < all; i++)
        tell(hands[i], "count 50");
    for (int value = 0; value < 50; value++) {
        pvm_initsend(PvmDataDefault);
        pvm_pkint(&value, 1, 1);
        pvm_mcast(hands, all, BULK);
    }
    for (int i = 0; i < all; i++)
        printf(" %s", answer(hands[i]));
    printf("\n");
    hands_end(hands, all);
}

/* Mailboxes. ----------------------------------------------------------------------------------- */

static int put(const char *class, int flags, int value)
{
    int before = pvm_setsbuf(pvm_mkbuf(PvmDataDefault));

    pvm_pkint(&value, 1, 1);
    pvm_pkint(numbers, value > 1000 ? value : 0, 1);
    int result = pvm_putinfo((char *)class, pvm_getsbuf(), flags);
    pvm_freebuf(pvm_setsbuf(before));
    return result;
}

static const char *get(const char *class, int index, int flags)
{
    static char text[64];
    int value = -1, result = pvm_recvinfo((char *)class, index, flags);
    int before = result >= 0 ? pvm_setrbuf(result) : 0;

    if (result >= 0) {
        pvm_upkint(&value, 1, 1);
        pvm_freebuf(pvm_setrbuf(before));
    }
    snprintf(text, sizeof text, result < 0 ? "%d" : "is %d", result < 0 ? result : value);
    return text;
}

static void entries_text(const char *pattern, char *text)
{
    struct pvmmboxinfo *classes = NULL;
    int count = -1, result = pvm_getmboxinfo((char *)pattern, &count, &classes);
    int length = snprintf(text, TEXT, "%d:", result);

    for (int i = 0; i < count; i++) {
        if (strncmp(classes[i].mi_name, "a-", 2) != 0)
            continue;
        length += snprintf(text + length, (size_t)(TEXT - length), " %s", classes[i].mi_name);
        for (int j = 0; j < classes[i].mi_nentries; j++)
            length += snprintf(text + length, (size_t)(TEXT - length), "[%d %s %x]",
                               classes[i].mi_indices[j], place(classes[i].mi_owners[j]),
                               (unsigned)classes[i].mi_flags[j]);
    }
}

static void entries_see(const char *when)
{
    char text[TEXT];

    entries_text("a-*", text);
    printf("%s: %s\n", when, text);
}

bool words_obey(const char *command, char *words, char *reply)
{
    char class[64];
    int a, b;

    if (strcmp(command, "pass") == 0) {
        pass_on(words, reply);
    } else if (strcmp(command, "count") == 0) {
        snprintf(reply, TEXT, "%d", count_in_order(atoi(words)));
    } else if (strcmp(command, "psend") == 0) {
        char bytes[10000];
        int length = 0, tag, tid;
        pvm_precv(-1, BULK, bytes, sizeof bytes, PVM_BYTE, &tid, &tag, &length);
        snprintf(reply, TEXT, "%d %d", length,
                 pvm_psend(atoi(words), WRITTEN, bytes, 9999, PVM_BYTE));
    } else if (strcmp(command, "put") == 0 && sscanf(words, "%63s %d %d", class, &a, &b) == 3) {
        snprintf(reply, TEXT, "%d", put(class, a, b));
    } else if (strcmp(command, "get") == 0 && sscanf(words, "%63s %d %d", class, &a, &b) == 3) {
        snprintf(reply, TEXT, "%s", get(class, a, b));
    } else if (strcmp(command, "remove") == 0 && sscanf(words, "%63s %d", class, &a) == 2) {
        snprintf(reply, TEXT, "%d", pvm_delinfo(class, a, 0));
    } else if (strcmp(command, "entries") == 0) {
        entries_text(words, reply);
    } else if (strcmp(command, "insert") == 0) {
        int found = -1;
        snprintf(reply, TEXT, "%d %d %d %d", pvm_insert("a-old", 3, 33),
                 pvm_lookup("a-old", 3, &found), found, pvm_delete("a-old", 3));
    } else if (strcmp(command, "print") == 0) {
        printf("%s\n", words);
        fflush(stdout);
        snprintf(reply, TEXT, "printed");
    } else if (strcmp(command, "noreset") == 0) {
        snprintf(reply, TEXT, "%d", pvm_setopt(PvmNoReset, 1));
    } else {
        return false;
    }
    return true;
}

static void owners_see(int hands[HOSTS], int i)
{
    int other = hands[(i + 1) % FIFTH];

    printf("put: %s\n", ask(hands[i], "put a-mine %d %d", PvmMboxDefault, 10 + i));
    printf("again: %s\n", ask(hands[i], "put a-mine %d %d", PvmMboxDefault, 20 + i));
    printf("by another: %s\n", ask(other, "put a-mine %d %d", PvmMboxDefault, 30));
    printf("removed by another: %s\n", ask(other, "remove a-mine 0"));
    printf("taken by another: %s\n", ask(other, "get a-mine 0 %d", PvmMboxReadAndDelete));
    printf("read by another: %s\n", ask(other, "get a-mine 0 %d", PvmMboxDefault));
    printf("for all: %s\n", ask(hands[i], "put a-open %d %d", PvmMboxOverWritable, 5000));
    printf("replaced: %s\n", ask(other, "put a-open %d %d", PvmMboxOverWritable, 50000));
    printf("taken: %s\n", ask(hands[i], "get a-open 0 %d", PvmMboxReadAndDelete));
    printf("is gone: %s\n", get("a-open", 0, PvmMboxDefault));
    printf("many: %s", ask(hands[i], "put a-many %d %d", PvmMboxMultiInstance, 1));
    printf(" %s", ask(other, "put a-many %d %d", PvmMboxMultiInstance | PvmMboxPersistent, 2));
    printf(" %s\n",
           ask(hands[i], "put a-many %d %d", PvmMboxMultiInstance | (int)PvmMboxDirectIndex(7), 3));
    printf("first: %s", ask(other, "get a-many 0 %d", PvmMboxFirstAvail));
    printf(" %s", ask(other, "get a-many 1 %d", PvmMboxFirstAvail));
    printf(" %s", ask(other, "get a-many 2 %d", PvmMboxFirstAvail));
    printf(" %s\n", ask(other, "get a-many 8 %d", PvmMboxFirstAvail));
    printf("entries: %s\n", ask(hands[i], "entries a-*"));
    printf("3.3: %s\n", ask(hands[i], "insert"));
    tell(other, "get a-later 4 %d", PvmMboxWaitForInfo);
    printf("waited for: %d\n", put("a-later", PvmMboxDirectIndex(4) | PvmMboxPersistent, 77 + i));
    printf("is there: %s\n", answer(other));
    SEE(pvm_delinfo("a-later", 4, 0));
}

/* An owner ends: its entries go, but for persistent ones, which anybody may then take. */
static void orphans_see(int i)
{
    int owner = hand_on(names[i]), waiter = hand_on(names[i]);

    ask(owner, "put a-short %d 1", PvmMboxDefault);
    ask(owner, "put a-long %d 2", PvmMboxPersistent);
    ask(owner, "put a-more %d 3", PvmMboxPersistent | PvmMboxOverWritable);
    tell(waiter, "get a-never 0 %d", PvmMboxWaitForInfo);
    dismiss(owner);
    while (strcmp(get("a-short", 0, PvmMboxDefault), "is 1") == 0)
        continue;
    entries_see("after the end of the owner");
    SEE(pvm_delinfo("a-long", 0, 0));
    SEE(pvm_delinfo("a-more", 0, 0));
    printf("put: %d\n", put("a-long", PvmMboxOverWritable, 5));
    SEE(pvm_delinfo("a-long", 0, 0));
    pvm_kill(waiter);
    wait_end(waiter);
    printf("put for the dead: %d\n", put("a-never", PvmMboxDefault, 6));
    printf("it is there: %s\n", get("a-never", 0, PvmMboxDefault));
    SEE(pvm_delinfo("a-never", 0, 0));
    SEE(pvmreset(me, 0, "a-long", -1));
    entries_see("after a reset");
}

void mailboxes_see(void)
{
    int hands[HOSTS];

    for (int i = MASTER; i < FIFTH; i++) {
        printf("%s\n", names[i]);
        hands_start(hands, FIFTH);
        owners_see(hands, i);
        hands_end(hands, FIFTH);
        while (strcmp(get("a-mine", 0, PvmMboxDefault), "-32") != 0)
            continue;
        SEE(pvmreset(me, 0, "", -1));
        entries_see("in the end");
        orphans_see(i);
    }
}

/* A reset kills what is anywhere, but who asked not to be, and with it go persistent entries. */
void resets_see(void)
{
    int hands[HOSTS], spared = hand_on(names[THIRD]);

    hands_start(hands, FIFTH);
    printf("spared: %s\n", ask(spared, "noreset"));
    ask(spared, "put a-spared %d 1", PvmMboxPersistent);
    for (int i = MASTER; i < FIFTH; i++)
        ask(hands[i], "put a-%d %d 1", i, PvmMboxPersistent);
    put("a-own", PvmMboxPersistent, 1);
    SEE(pvmreset(me, 0, "", -1));
    entries_see("nobody killed");
    SEE(pvm_notify(PvmTaskExit, GONE, FIFTH, hands));
    SEE(pvmreset(me, 1, "", -1));
    for (int i = MASTER; i < FIFTH; i++)
        SEE(pvm_recv(-1, GONE) > 0);
    for (int i = MASTER; i < FIFTH; i++) {
        char class[8];
        snprintf(class, sizeof class, "a-%d", i);
        while (strcmp(get(class, 0, PvmMboxDefault), "-32") != 0)
            continue;
    }
    entries_see("all killed");
    printf("spared: %s\n", ask(spared, "folder") ? "answers" : "");
    dismiss(spared);
    SEE(pvm_delinfo("a-own", 0, 0));
    SEE(pvmreset(me, 0, "", -1));
    entries_see("in the end");
}

/* Output. -------------------------------------------------------------------------------------- */

/* The line with the name of the host in place of a tid; frees the line. */
static char *without_tid(char *line)
{
    char *end = line[0] == '[' ? strchr(line, ']') : NULL;

    if (!end)
        return line;
    char *text = text_of("[%s]%s", place((int)strtoul(line + 2, NULL, 16)), end + 1);
    free(line);
    return text;
}

/* Runs this program with a role of its own; what it prints, in order, without tids. */
static void run_apart(const char *role)
{
    char command[TEXT], line[TEXT], *lines[256];
    int count = 0;

    snprintf(command, sizeof command, "exec '/proc/%d/exe' %s 2>&1", (int)getpid(), role);
    FILE *output = popen(command, "r");
    while (output && count < 256 && fgets(line, sizeof line, output)) {
        line[strcspn(line, "\n")] = '\0';
        if (!strstr(line, "still running")) /* which depends on how fast they end */
            lines[count++] = strdup(line);
    }
    int status = output ? pclose(output) : -1;
    for (int i = 0; i < count; i++)
        lines[i] = without_tid(lines[i]);
    print_sorted(lines, count);
    see_end(role, status);
}

int collect_main(int count, char **hosts)
{
    int hands[HOSTS];

    setvbuf(stdout, NULL, _IOLBF, 0);
    me = pvm_mytid();
    pvm_catchout(stdout);
    for (int i = 0; i < count; i++)
        hands[i] = hand_on(hosts[i]);
    for (int i = 0; i < count; i++) {
        ask(hands[i], "print line one of %s", hosts[i]);
        ask(hands[i], "print line two of %s", hosts[i]);
        ask(hands[i], "spawn %d %s 1 /bin/echo", PvmTaskHost, hosts[(i + 1) % count]);
    }
    for (int i = 0; i < count; i++)
        tell(hands[i], "leave");
    return pvm_exit();
}

#define NOBODY 987654 /* a tag that no message has */

/* Waits until the text has been caught; what pvm_catchout writes comes at the end of the file. */
static void wait_caught(FILE *caught, const char *text)
{
    char line[TEXT];

    for (bool found = false; !found;) {
        pvm_probe(-1, NOBODY);
        rewind(caught);
        while (fgets(line, sizeof line, caught))
            found = found || strstr(line, text);
    }
}

static void print_file(FILE *file)
{
    char line[TEXT];

    rewind(file);
    while (fgets(line, sizeof line, file))
        fputs(line, stdout);
    fclose(file);
}

int collect_lost_main(char *host)
{
    FILE *caught = tmpfile();

    setvbuf(stdout, NULL, _IOLBF, 0);
    me = pvm_mytid();
    pvm_catchout(caught);
    int hand = hand_on(host);
    ask(hand, "print before");
    wait_caught(caught, "before"); /* a deleted host tells nothing more */
    char *lost[] = {host};
    int status = 99, result = pvm_delhosts(lost, 1, &status);
    printf("deleted: %d %d\n", result, status);
    while (pvm_mstat(host) == PvmOk)
        continue;
    alarm(120);
    result = pvm_exit();
    print_file(caught);
    return result;
}

void outputs_see(void)
{
    char role[TEXT] = "collect";

    for (int i = MASTER; i < FIFTH; i++)
        snprintf(role + strlen(role), sizeof role - strlen(role), " %s", names[i]);
    run_apart(role);
}

void lost_outputs_see(void)
{
    char role[64], *fifth[] = {names[FIFTH]};
    int status;

    SEE(pvm_addhosts(fifth, 1, &status));
    SEE(status > 0);
    snprintf(role, sizeof role, "lost %s", names[FIFTH]);
    run_apart(role);
}

/* Trace events of the daemons. ----------------------------------------------------------------- */

/* The number of the event in the message; 0 when it only names data. */
static int event_of(void)
{
    int marker = 0, count = 0, value;
    char text[256];

    if (pvm_upkint(&marker, 1, 1) < 0)
        return 0;
    if (marker == -3) {
        while (pvm_upkint(&value, 1, 1) == PvmOk && value != -4) {
            pvm_upkstr(text);
            pvm_upkstr(text);
            count++;
        }
        return -count;
    }
    pvm_upkint(&value, 1, 1);
    return value;
}

void traces_see(void)
{
    int hands[HOSTS], left = 4 * FIFTH, lists[HOSTS] = {0}, count = 0;
    char *lines[64];

    SEE(pvm_setopt(PvmTraceTid, me));
    SEE(pvm_setopt(PvmTraceCode, TRACED));
    SEE(pvm_setopt(PvmTraceContext, 0));
    hands_start(hands, FIFTH);
    SEE(pvm_setopt(PvmTraceTid, 0));
    hands_end(hands, FIFTH);
    for (; left > FIFTH;) {
        int tid, buffer = pvm_recv(-1, TRACED);
        pvm_bufinfo(buffer, NULL, NULL, &tid);
        int event = event_of();
        if (event > 0) {
            left--;
            lines[count++] = text_of("%s: %d", place(tid), event);
        } else {
            lists[MASTER]++;
        }
    }
    print_sorted(lines, count);
    SEE(lists[MASTER]);
}
