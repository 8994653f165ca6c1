/*
 * What does a task tell its trace sink? A tracer: spawns a program with tracing on and prints each
 * part of its trace messages as a line, until the daemon tells that it has ended.
 *
 *     trace_collect EVENTS BUFFER OPTION PROGRAM [ARGUMENT...]
 *     trace_collect EVENTS BUFFER OPTION
 *
 * Without a program it registers as the tracer, prints "ready", and ends when some task has ended.
 * EVENTS: names apart by commas, or "all". Times, process ids and addresses are left out: they
 * differ from run to run.
 */
#include <pvm3.h>
#include <pvmtev.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACE_TAG  666
#define EXIT_TAG   667
#define OUTPUT_TAG 668
#define TEXT_LIMIT 65536
#define MAX_FIELDS 64

extern struct Pvmtevinfo pvmtevinfo[];
extern struct Pvmtevdid pvmtevdidlist[];

/* What a descriptor told of an event; sources are few. */
struct layout {
    int source;
    int event;
    int count;
    int did[MAX_FIELDS];
    int type[MAX_FIELDS];
    struct layout *next;
};

static struct layout *layouts;
static int source;
static int ended; /* a daemon has told of the end of a task */

static void fail(const char *why, int value)
{
    printf("FAILED: %s %d\n", why, value);
    exit(1);
}

static int get_int(void)
{
    int value;
    if (pvm_upkint(&value, 1, 1) < 0)
        fail("a trace message ends too early", source);
    return value;
}

static char *get_string(void)
{
    static char text[TEXT_LIMIT];
    if (pvm_upkstr(text) < 0)
        fail("a string is missing", source);
    return text;
}

static struct layout *layout_find(int event)
{
    struct layout *layout = layouts;
    while (layout && (layout->source != source || layout->event != event))
        layout = layout->next;
    return layout;
}

static struct layout *layout_new(int event)
{
    struct layout *layout = layout_find(event);
    if (!layout) {
        layout = calloc(1, sizeof *layout);
        layout->next = layouts;
        layouts = layout;
    }
    layout->source = source;
    layout->event = event;
    layout->count = 0;
    return layout;
}

/* Fields whose values say nothing about the library. */
static int varies(int did)
{
    switch (did) {
    case TEV_DID_TS:
    case TEV_DID_TU:
    case TEV_DID_TGS:
    case TEV_DID_TGU:
    case TEV_DID_PDA:
    case TEV_DID_MRF:
    case TEV_DID_FP:
    case TEV_DID_FDS:
    case TEV_DID_HCS:
    case TEV_DID_HCU:
    case TEV_DID_HDS:
    case TEV_DID_HDU:
    case TEV_DID_PID:
    case TEV_DID_TUS:
    case TEV_DID_TUU:
    case TEV_DID_TSS:
    case TEV_DID_TSU:
        return 1;
    default:
        return 0;
    }
}

#define SHOW(c_type, unpack, format, shown_as)                                                     \
    {                                                                                              \
        c_type value[2];                                                                           \
        if (unpack(value, 1, 1) < 0)                                                               \
            fail("data are missing of type", type);                                                \
        printf(hidden ? " -" : " " format, (shown_as)value[0]);                                    \
        break;                                                                                     \
    }

static void show_item(int type, int hidden)
{
    switch (type) {
    case TEV_DATA_BYTE:
        SHOW(char, pvm_upkbyte, "%d", int)
    case TEV_DATA_CPLX:
        SHOW(float, pvm_upkcplx, "%g", double)
    case TEV_DATA_DCPLX:
        SHOW(double, pvm_upkdcplx, "%g", double)
    case TEV_DATA_DOUBLE:
        SHOW(double, pvm_upkdouble, "%g", double)
    case TEV_DATA_FLOAT:
        SHOW(float, pvm_upkfloat, "%g", double)
    case TEV_DATA_INT:
        SHOW(int, pvm_upkint, "%d", int)
    case TEV_DATA_UINT:
        SHOW(unsigned, pvm_upkuint, "%u", unsigned)
    case TEV_DATA_LONG:
        SHOW(long, pvm_upklong, "%ld", long)
    case TEV_DATA_ULONG:
        SHOW(unsigned long, pvm_upkulong, "%lu", unsigned long)
    case TEV_DATA_SHORT:
        SHOW(short, pvm_upkshort, "%d", int)
    case TEV_DATA_USHORT:
        SHOW(unsigned short, pvm_upkushort, "%u", unsigned)
    case TEV_DATA_STRING:
        printf(" \"%s\"", get_string());
        break;
    case TEV_DATA_NULL:
    case TEV_DATA_STRUCT_START:
    case TEV_DATA_STRUCT_END:
    case TEV_DATA_DEFERRED:
        break;
    default:
        fail("an unknown type", type);
    }
}

static void show_field(int did, int type)
{
    int base = type & ~TEV_DATA_ARRAY;
    int count = 1;
    printf(" %s:%d%s", did >= 0 ? pvmtevdidlist[did].did : "", base, type == base ? "" : "[");
    if (type != base)
        printf("%d]", count = get_int());
    /* Bytes are one opaque run. */
    if (base == TEV_DATA_BYTE && count > 1) {
        char *bytes = malloc((size_t)count);
        if (pvm_upkbyte(bytes, count, 1) < 0)
            fail("bytes are missing", count);
        for (int i = 0; i < count; i++)
            printf(" %d", bytes[i]);
        free(bytes);
        return;
    }
    for (int i = 0; i < count; i++)
        show_item(base, did >= 0 && varies(did));
}

static void show_event(int event, const char *what, const char *name)
{
    int kind = event & ~(TEV_EVENT_ENTRY | TEV_EVENT_EXIT);
    ended |= kind == TEV_ENDTASK;
    printf("t%x %s %d %s%s%s%s", (unsigned)source, what, kind,
           kind >= 0 && kind <= TEV_MAX ? pvmtevinfo[kind].name : "?",
           event & TEV_EVENT_ENTRY ? " entry" : "", event & TEV_EVENT_EXIT ? " exit" : "",
           !name || strcmp(name, pvmtevinfo[kind].name) == 0 ? "" : " (misnamed)");
}

static void show_descriptor(void)
{
    int event = get_int();
    int did;
    show_event(event, "describes", get_string());
    struct layout *layout = layout_new(event);
    while ((did = get_int()) != TEV_MARK_EVENT_DESC_END) {
        int type = get_int();
        if (layout->count == MAX_FIELDS || did < 0 || did > TEV_DID_MAX)
            fail("no field number", did);
        layout->did[layout->count] = did;
        layout->type[layout->count++] = type;
        show_field(did, type);
    }
}

static void show_record(void)
{
    int event = get_int();
    show_event(event, "records", NULL);
    const struct layout *layout = layout_find(event);
    if (!layout)
        fail("never described", event);
    for (int i = 0; i < layout->count; i++)
        show_field(layout->did[i], layout->type[i]);
    int end = get_int();
    if (end != TEV_MARK_EVENT_RECORD_END)
        fail("a record does not end", end);
}

static void show_user_record(void)
{
    int event = get_int();
    int type;
    show_event(event, "user", NULL);
    printf(" \"%s\"", get_string());
    get_int();
    get_int();
    while ((type = get_int()) != TEV_MARK_USER_EVENT_RECORD_END)
        show_field(-1, type);
}

static void show_names(void)
{
    int did, wrong = 0, count = 0;
    while ((did = get_int()) != TEV_MARK_DATA_ID_END) {
        count++;
        if (did < 0 || did > TEV_DID_MAX)
            fail("no field number", did);
        wrong += strcmp(get_string(), pvmtevdidlist[did].did) != 0;
        wrong += strcmp(get_string(), pvmtevdidlist[did].desc) != 0;
    }
    printf("t%x names %d fields, %d wrong", (unsigned)source, count, wrong);
}

static void show_buffer(void)
{
    printf("t%x buffer", (unsigned)source);
}

static void show_buffer_end(void)
{
    printf("t%x buffer ends", (unsigned)source);
}

static const struct {
    int marker;
    void (*show)(void);
} parts[] = {
    {TEV_MARK_DATA_ID, show_names},       {TEV_MARK_EVENT_DESC, show_descriptor},
    {TEV_MARK_EVENT_RECORD, show_record}, {TEV_MARK_USER_EVENT_RECORD, show_user_record},
    {TEV_MARK_EVENT_BUFFER, show_buffer}, {TEV_MARK_EVENT_BUFFER_END, show_buffer_end},
};

static void show_part(int marker)
{
    size_t i = 0;
    while (i < sizeof parts / sizeof *parts && parts[i].marker != marker)
        i++;
    if (i == sizeof parts / sizeof *parts)
        fail("no marker", marker);
    parts[i].show();
    printf("\n");
}

static void set_events(Pvmtmask mask, char *events)
{
    TEV_MASK_INIT(mask);
    for (char *name = strtok(events, ","); name; name = strtok(NULL, ","))
        for (int i = TEV_FIRST; i <= TEV_MAX; i++)
            if (strcmp(name, "all") == 0 || strcmp(name, pvmtevinfo[i].name) == 0)
                TEV_MASK_SET(mask, i);
}

/* False for the notice that the task has ended. */
static int show_message(int bufid)
{
    int bytes, tag, marker;
    if (pvm_bufinfo(bufid, &bytes, &tag, &source) < 0)
        fail("no message", bufid);
    if (tag == EXIT_TAG)
        return 0;
    printf("t%x message of %d bytes with tag %d\n", (unsigned)source, bytes, tag);
    while (pvm_upkint(&marker, 1, 1) == PvmOk)
        show_part(marker);
    return 1;
}

/* Spawns the program and shows what it tells until it has ended. */
static void trace_program(Pvmtmask mask, int size, int option, char **command)
{
    int tid, bufid;
    pvm_setopt(PvmTraceTid, pvm_mytid());
    pvm_setopt(PvmTraceContext, pvm_newcontext());
    pvm_setopt(PvmTraceCode, TRACE_TAG);
    pvm_setopt(PvmTraceBuffer, size);
    pvm_setopt(PvmTraceOptions, option);
    pvm_settmask(PvmTaskChild, mask);
    pvm_setopt(PvmAutoErr, 0);
    if (pvm_spawn(command[0], command + 1, PvmTaskDefault, "", 1, &tid) != 1)
        fail("cannot spawn", tid);
    pvm_notify(PvmTaskExit, EXIT_TAG, 1, &tid);
    pvm_setcontext(-1);
    while (show_message(pvm_recv(-1, -1)))
        ;
    /* What the daemon told after the notice comes before this answer. */
    pvm_pstat(tid);
    while ((bufid = pvm_nrecv(-1, -1)) > 0)
        show_message(bufid);
}

/* Shows what all tasks tell until one has ended. */
static void trace_machine(Pvmtmask mask, int size, int option)
{
    int result = pvm_reg_tracer(pvm_newcontext(), TRACE_TAG, 0, OUTPUT_TAG, mask, size, option);
    if (result < 0)
        fail("cannot register", result);
    pvm_setopt(PvmAutoErr, 0);
    printf("ready\n");
    pvm_setcontext(-1);
    while (!ended)
        show_message(pvm_recv(-1, TRACE_TAG));
}

int main(int argc, char **argv)
{
    Pvmtmask mask;
    if (argc < 4)
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0);
    set_events(mask, argv[1]);
    if (argc > 4)
        trace_program(mask, atoi(argv[2]), atoi(argv[3]), argv + 4);
    else
        trace_machine(mask, atoi(argv[2]), atoi(argv[3]));
    pvm_exit();
    return 0;
}
