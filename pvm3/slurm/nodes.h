/*
 * nodes.h - the hosts that the manager has started a program for, and those for which it may.
 *
 * For each node that is in use the manager has one child: srun, with an agent at its other end, or
 * a remote shell for a host that is no node of Slurm. When the manager closes the input, or dies,
 * the agent ends, and with it the step and the job.
 */
#ifndef SLURM_NODES_H
#define SLURM_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum node_state {
    NODE_KNOWN,    /* of a job that others have got: no step runs */
    NODE_WAITING,  /* for Slurm */
    NODE_READY,    /* the agent waits for its two lines */
    NODE_STARTING, /* a pvmd, whose line is to come */
    NODE_RUNNING,
};

struct node {
    enum node_state state;
    char *name;    /* NULL: Slurm has not chosen it yet */
    char *job;     /* in which steps are started, NULL for a job of its own */
    bool by_shell; /* it is reached by the remote shell */
    pid_t pid;
    int input, output; /* of the child, -1 for none */
    char text[1024];   /* what it has printed, as far as it is no whole line */
    size_t length;
    char *lines; /* for the agent, as soon as it is ready */
    int asker;   /* the task that wants the node, 0 when it has been told of it */
    int host;    /* tid, 0 before it is a host */
    bool ending; /* Slurm has announced the end of its job */
    double idle_since;
};

struct nodes {
    struct node **items;
    int count;
};

/* A new entry. `name` may be NULL. */
struct node *nodes_add(struct nodes *nodes, const char *name);

/* NULL if there is none. */
struct node *nodes_find(const struct nodes *nodes, const char *name);
struct node *nodes_find_host(const struct nodes *nodes, int host);

/* Adds the nodes of a job of others, in the short form of Slurm, that are not known yet. */
void nodes_add_job(struct nodes *nodes, const char *job, const char *list);

/* Has Slurm start an agent on the node, in its job or with a job of its own. */
void node_start_agent(struct node *node);

/* Runs a command, whose input is given, by the remote shell. */
void node_start_shell(struct node *node, const char *login, const char *command, const char *input);

/* Writes to the input of the child. */
void node_send(struct node *node, const char *text);

/* Takes in what the child has printed, after a poll. False if it has ended. */
bool node_read(struct node *node);

/* The next whole line, without its newline, to be freed. NULL if there is none yet. */
char *node_line(struct node *node);

/* Lets the child end. The end of its output comes later. */
void node_close(struct node *node);

/* The child has ended. A node of a job of others is as before, and others are removed. */
void nodes_end(struct nodes *nodes, struct node *node);

#endif
