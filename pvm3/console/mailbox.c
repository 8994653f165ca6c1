/* mailbox.c - names, put. */
#include <stdio.h>

#include <pvm3.h>

#include "console/advice.h"
#include "console/commands.h"
#include "console/output.h"

static void name_print(const struct pvmmboxinfo *name)
{
    printf("<%s>:\n", name->mi_name);
    for (int i = 0; i < name->mi_nentries; i++)
        printf("\tindex=%d owner=0x%x/%d flags=0x%x\n", name->mi_indices[i],
               (unsigned)name->mi_owners[i], name->mi_owners[i], (unsigned)name->mi_flags[i]);
    printf("\n");
}

static void name_write(struct json *json, const struct pvmmboxinfo *name)
{
    json_open(json, '{');
    json_text_member(json, "name", name->mi_name);
    json_key(json, "entries");
    json_open(json, '[');
    for (int i = 0; i < name->mi_nentries; i++) {
        json_open(json, '{');
        json_number_member(json, "index", name->mi_indices[i]);
        json_tid_member(json, "owner", name->mi_owners[i]);
        json_number_member(json, "flags", name->mi_flags[i]);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_close(json, '}');
}

void command_names(struct console *console, int count, char **word)
{
    int names;
    struct pvmmboxinfo *name;
    struct json *json = &console->report.members;

    int result = pvm_getmboxinfo(count > 1 ? word[1] : "*", &names, &name);
    if (result < 0) {
        failure(&console->report, result, advice_mailbox(result), "%s", error_text(result));
        return;
    }
    if (!console->report.json) {
        for (int i = 0; i < names; i++)
            name_print(&name[i]);
        return;
    }
    json_key(json, "names");
    json_open(json, '[');
    for (int i = 0; i < names; i++)
        name_write(json, &name[i]);
    json_close(json, ']');
}

/* The message is one int. A last word is asked for and not used, as in 3.4.6. */
void command_put(struct console *console, int count, char **word)
{
    int flags, zero = 0;

    (void)count;
    if (!number_parse(&console->report, "put", word[2], &flags))
        return;
    int buffer = pvm_initsend(PvmDataDefault);
    if (buffer < 0 || pvm_pkint(&zero, 1, 1) < 0)
        return;
    int result = pvm_putinfo(word[1], buffer, flags);
    if (result < 0)
        problem(&console->report, result, advice_mailbox(result), "%s", error_text(result));
}
