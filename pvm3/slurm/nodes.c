/* nodes.c - children, their pipes, and the commands of Slurm. */
#include "slurm/nodes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pvm3.h>

#include "slurm/agent.h"
#include "slurm/memory.h"

/* Slurm announces the end of a job so many seconds in advance. */
#define WARNING_SECONDS "60"

struct node *nodes_add(struct nodes *nodes, const char *name)
{
    size_t count = (size_t)nodes->count + 1;
    nodes->items = memory_check(realloc(nodes->items, count * sizeof(struct node *)));
    struct node *node = memory_check(calloc(1, sizeof *node));
    node->name = name ? memory_check(strdup(name)) : NULL;
    node->input = node->output = -1;
    nodes->items[nodes->count++] = node;
    return node;
}

struct node *nodes_find(const struct nodes *nodes, const char *name)
{
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i]->name && strcmp(nodes->items[i]->name, name) == 0)
            return nodes->items[i];
    return NULL;
}

struct node *nodes_find_host(const struct nodes *nodes, int host)
{
    for (int i = 0; i < nodes->count; i++)
        if (nodes->items[i]->host == host)
            return nodes->items[i];
    return NULL;
}

/* Children. ------------------------------------------------------------------------------------ */

/* Starts a child with pipes for its input and output. False in the child. */
static bool node_fork(struct node *node)
{
    int input[2], output[2];
    if (pipe2(input, O_CLOEXEC) < 0 || pipe2(output, O_CLOEXEC) < 0 || (node->pid = fork()) < 0) {
        perror("pvmslurm");
        exit(EXIT_FAILURE);
    }
    if (node->pid == 0) {
        /* It takes back what srun waits for. A step that runs does not mind: its input ends. */
        prctl(PR_SET_PDEATHSIG, SIGINT);
        signal(SIGPIPE, SIG_DFL);
        dup2(input[0], STDIN_FILENO);
        dup2(output[1], STDOUT_FILENO);
        return false;
    }
    close(input[0]);
    close(output[1]);
    node->input = input[1];
    node->output = output[0];
    return true;
}

static void __attribute__((noreturn)) become(char *const *words)
{
    execvp(words[0], words);
    fprintf(stderr, "pvmslurm: cannot run %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

/* In the child. What these mean to srun is not what is wanted here, or is said by its options. */
static void forget_own_job(void)
{
    static const char *const names[] = {"SLURM_JOB_ID", "SLURM_JOBID", "SLURM_STEP_ID",
                                        "SLURM_STEPID"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unsetenv(names[i]);
}

void node_start_agent(struct node *node)
{
    char own[4096] = "", job[64], name[512];
    char *own_job[] = {"--exclusive", "--job-name=pvm",
                       "--signal=" AGENT_SIGNAL_NAME "@" WARNING_SECONDS, NULL};
    char *step[] = {job, name, "--overlap", NULL};
    char *words[16] = {"srun", "--nodes=1", "--ntasks=1", "--mpi=none", "--quiet"};
    int count = 5;
    node->state = NODE_WAITING;
    if (node_fork(node))
        return;
    forget_own_job();
    snprintf(job, sizeof job, "--jobid=%s", node->job ? node->job : "");
    snprintf(name, sizeof name, "--nodelist=%s", node->name ? node->name : "");
    for (char **word = node->job ? step : own_job; *word; word++)
        words[count++] = *word;
    if (readlink("/proc/self/exe", own, sizeof own - 1) < 0)
        _exit(127);
    words[count++] = own;
    words[count++] = "--agent";
    become(words);
}

void node_start_shell(struct node *node, const char *login, const char *command, const char *input)
{
    const char *at = strchr(login, '@');
    char user[256], host[512], line[8192];
    char *words[] = {pvmgetrsh(), host, "-l", user, line, NULL};
    char *plain[] = {pvmgetrsh(), host, line, NULL};
    node->by_shell = true;
    node->state = NODE_STARTING;
    if (node_fork(node)) {
        node_send(node, input);
        close(node->input);
        node->input = -1;
        return;
    }
    snprintf(user, sizeof user, "%.*s", at ? (int)(at - login) : 0, login);
    snprintf(host, sizeof host, "%s", at ? at + 1 : login);
    snprintf(line, sizeof line, "%s", command);
    become(at ? words : plain);
}

void node_send(struct node *node, const char *text)
{
    dprintf(node->input, "%s", text);
}

bool node_read(struct node *node)
{
    size_t room = sizeof node->text - node->length;
    ssize_t size = read(node->output, node->text + node->length, room);
    if (size > 0)
        node->length += (size_t)size;
    return size > 0 || (size < 0 && errno == EINTR);
}

char *node_line(struct node *node)
{
    char *end = memchr(node->text, '\n', node->length);
    if (!end && node->length < sizeof node->text)
        return NULL;
    size_t length = end ? (size_t)(end - node->text) : node->length;
    char *line = memory_check(strndup(node->text, length));
    node->length -= length + (end ? 1 : 0);
    memmove(node->text, end ? end + 1 : node->text, node->length);
    return line;
}

void node_close(struct node *node)
{
    if (node->state == NODE_WAITING || (node->state == NODE_STARTING && node->by_shell))
        kill(node->pid, SIGTERM); /* srun reads no input yet, and a remote shell may hang */
    if (node->input >= 0)
        close(node->input);
    node->input = -1;
}

static void node_free(struct node *node)
{
    free(node->name);
    free(node->job);
    free(node->lines);
    free(node);
}

void nodes_end(struct nodes *nodes, struct node *node)
{
    int place = 0;
    node->state = NODE_RUNNING;
    node_close(node);
    close(node->output);
    while (waitpid(node->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    if (node->job) {
        free(node->lines);
        *node = (struct node){
            .state = NODE_KNOWN, .name = node->name, .job = node->job, .input = -1, .output = -1};
        return;
    }
    while (nodes->items[place] != node)
        place++;
    nodes->items[place] = nodes->items[--nodes->count];
    node_free(node);
}

/* Jobs of others. ------------------------------------------------------------------------------ */

void nodes_add_job(struct nodes *nodes, const char *job, const char *list)
{
    char name[256];
    struct node scontrol = {.input = -1};
    if (node_fork(&scontrol)) {
        close(scontrol.input);
    } else {
        char *words[] = {"scontrol", "show", "hostnames", memory_check(strdup(list)), NULL};
        become(words);
    }
    FILE *names = memory_check(fdopen(scontrol.output, "r"));
    while (fscanf(names, "%255s", name) == 1) {
        struct node *known = nodes_find(nodes, name);
        struct node *node = known ? known : nodes_add(nodes, name);
        if (!known || (node->state == NODE_KNOWN && node->job)) {
            free(node->job);
            node->job = memory_check(strdup(job));
        }
    }
    fclose(names);
    waitpid(scontrol.pid, NULL, 0);
}
