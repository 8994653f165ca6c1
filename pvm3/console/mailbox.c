/* mailbox.c - names, put. */
#include <stdio.h>

#include <pvm3.h>

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

void command_names(struct console *console, int count, char **word)
{
    int names;
    struct pvmmboxinfo *name;

    (void)console;
    if (pvm_getmboxinfo(count > 1 ? word[1] : "*", &names, &name) < 0)
        return;
    for (int i = 0; i < names; i++)
        name_print(&name[i]);
}

/* The message is one int. A last word is asked for and not used, as in 3.4.6. */
void command_put(struct console *console, int count, char **word)
{
    int flags, zero = 0;

    (void)console, (void)count;
    if (!number_parse("put", word[2], &flags))
        return;
    int buffer = pvm_initsend(PvmDataDefault);
    if (buffer < 0 || pvm_pkint(&zero, 1, 1) < 0)
        return;
    int result = pvm_putinfo(word[1], buffer, flags);
    if (result < 0)
        printf("%s\n", error_text(result));
}
