/* dump.c - pvmgroups: has the group server write its table to the log of its pvmd. */
#include <stdlib.h>

#include <pvm3.h>

#include "groups/protocol.h"
#include "groups/tool.h"

int main(int argc, char **argv)
{
    int server = tool_begin(argc, argv, "pvmgroups",
                            "Has the group server write its table of groups to the log of the pvmd "
                            "of its host.");
    tool_ask(server, GROUPS_DUMP);
    pvm_exit();
    return EXIT_SUCCESS;
}
