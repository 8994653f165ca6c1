/*
 * service.h - what kv.c and stream.c have in common: nodes that serve under a name until they are
 * stopped, and clients that find them.
 *
 * Every node is published, as NAME.NUMBER, so that clients find those that live; any of them tells
 * the addresses of all.
 */
#ifndef SERVICE_H
#define SERVICE_H

#include <tpl.h>

#define SERVICE_NODES 64 /* at most */

enum { SERVICE_LIST = 1000, SERVICE_STOP }; /* kinds of requests */

/* Serves both, which are to be among the services of a node. */
void service_manage(struct tpl_request *request, void *argument);

/*
 * The life of a node; argv[1] is "serve", argv[2] the name and argv[3] the number of nodes. Prints
 * "serving" when it does, ends by SERVICE_STOP or a signal. Sets *node before anything is served.
 * Gives the status to exit with.
 */
int service_run(struct tpl **node, char **argv, const struct tpl_service *services,
                void (*lost)(struct tpl *node, int number, void *argument));

/*
 * For a client: the addresses of all nodes under a name, dead ones among them, as an array in the
 * data of a message to be freed; its `kind` is their number. `kind` is SERVICE_LIST, or
 * SERVICE_STOP, which stops them, too.
 */
int service_find(struct tpl *node, const char *name, int kind, struct tpl_message **nodes);

/* The life of a client that stops the nodes under a name. Gives the status to exit with. */
int service_stop(const char *name);

/* Says what went wrong; gives the status to exit with. */
int service_fail(const char *what, int result);

#endif
