/* service.c - the life of nodes that serve under a name. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "service.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int service_fail(const char *what, int result)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, tpl_strerror(result));
    return EXIT_FAILURE;
}

static const char *name_of(char text[256], const char *name, int number)
{
    snprintf(text, 256, "%.200s.%d", name, number);
    return text;
}

void service_manage(struct tpl_request *request, void *argument)
{
    struct tpl *node = request->node;
    struct tpl_address nodes[SERVICE_NODES];
    const bool stops = request->kind == SERVICE_STOP;
    (void)argument;
    for (int i = 0; i < tpl_count(node); i++)
        nodes[i] = tpl_address(node, i, TPL_POOL);
    tpl_answer(request, tpl_count(node), nodes, (size_t)tpl_count(node) * sizeof *nodes);
    if (stops)
        tpl_stop(node);
}

int service_run(struct tpl **node, char **argv, const struct tpl_service *services,
                void (*lost)(struct tpl *node, int number, void *argument))
{
    char text[256];
    const struct tpl_options options = {.nodes = atoi(argv[3]),
                                        .program = program_invocation_short_name,
                                        .arguments = argv + 1,
                                        .services = services,
                                        .signals = true,
                                        .lost = lost};
    if (options.nodes > SERVICE_NODES)
        return service_fail(argv[3], TPL_BAD);
    int result = tpl_start(node, &options);
    if (result < 0)
        return service_fail("cannot start", result);
    result = tpl_publish(*node, name_of(text, argv[2], tpl_number(*node)));
    if (result < 0)
        tpl_stop(*node);
    puts("serving"), fflush(stdout);
    tpl_run(*node);
    int end = tpl_finish(*node);
    if (result < 0)
        return service_fail(argv[2], result);
    return end == TPL_STOPPED ? EXIT_SUCCESS : service_fail("ended", end);
}

int service_find(struct tpl *node, const char *name, int kind, struct tpl_message **nodes)
{
    char text[256];
    struct tpl_address address;
    int result = TPL_NOT_FOUND;
    *nodes = NULL;
    for (int i = 0; !*nodes && i < SERVICE_NODES; i++)
        if ((result = tpl_find(node, name_of(text, name, i), &address)) == TPL_OK)
            result = tpl_call(node, address, kind, NULL, 0, NULL, nodes);
    return result;
}

int service_stop(const char *name)
{
    struct tpl *node;
    struct tpl_message *nodes;
    int result = tpl_start(&node, &(struct tpl_options){.nodes = 1});
    if (result < 0)
        return service_fail("cannot start", result);
    result = service_find(node, name, SERVICE_STOP, &nodes);
    tpl_free(nodes);
    tpl_finish(node);
    return result < 0 ? service_fail(name, result) : EXIT_SUCCESS;
}
