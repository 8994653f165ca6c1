/* check_there.c - another host: its name, its shell, its folder, its pvmd, the way to it. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "console/check.h"
#include "console/datagram_trial.h"
#include "console/parse.h"
#include "console/remote_session.h"
#include "core/environment.h"

#define MARK     "PVMCHECK:"
#define PROTOCOL 2316 /* between pvmds */
#define MTU      4080
#define TRIES    8 /* packets */
#define TRY_MS   400

/* What add is told of a host. */
struct target {
    struct words words;
    const char *name;
    const char *network_name; /* ip= */
    const char *login;
    const char *daemon; /* the command */
    const char *machine;
    const char *start; /* so=, or "" */
    uint32_t address;
    bool member; /* of the virtual machine */
};

static const char *target_option(const struct target *target, const char *option, const char *other)
{
    for (int i = 1; i < target->words.count; i++)
        if (strncmp(target->words.word[i], option, strlen(option)) == 0)
            return target->words.word[i] + strlen(option);
    return other;
}

static bool host_is_member(const char *name)
{
    int count;
    struct pvmhostinfo *hosts;
    if (pvm_config(&count, NULL, &hosts) < 0)
        return false;
    for (int i = 0; i < count; i++)
        if (strcmp(hosts[i].hi_name, name) == 0)
            return true;
    return false;
}

/* Text that a shell takes for what it is, in single quotes. */
static bool is_plain(const char *text)
{
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("-._:/+@", *text))
            return false;
    return true;
}

static bool target_read(struct check *check, struct target *target, const char *host)
{
    *target = (struct target){.name = host};
    if (words_split(&target->words, host) != PARSE_OK || target->words.count == 0) {
        check_problem(check, "give a name, or in quotes a name with options as for add",
                      "\"%s\" is no host", host);
        return false;
    }
    target->name = target->words.word[0];
    target->network_name = target_option(target, "ip=", target->name);
    target->login = target_option(target, "lo=", NULL);
    target->daemon = target_option(target, "dx=", environment_get("PVM_DPATH", "pvmd"));
    target->machine = target_option(target, "id=", environment_get("PVM_VMID", ""));
    target->start = target_option(target, "so=", "");
    if (!is_plain(target->name) || !is_plain(target->machine)) {
        check_problem(check, "names have letters, digits, . - and _", "\"%s\" is no host", host);
        words_free(&target->words);
        return false;
    }
    return true;
}

static bool target_find(struct check *check, struct target *target)
{
    char text[CHECK_ADDRESS];

    target->address = check_look_up(target->network_name);
    check_show_address(target->address, text);
    if (target->address == 0) {
        check_problem(
            check, "put it into /etc/hosts or the name server, or give ip=ADDRESS behind the name",
            "the name %s has no address here", target->network_name);
        return false;
    }
    if (check->address == target->address) {
        check_problem(check, "it is in the virtual machine from the start",
                      "the name %s means %s, the address of this host", target->network_name, text);
        return false;
    }
    if (check_is_loopback(check->address) && !check_is_loopback(target->address)) {
        check_problem(check,
                      "let the name of this host mean its address in the network (/etc/hosts), or "
                      "start with pvm -nNAME",
                      "%s has to find this host at a loopback address, which it cannot", text);
        check->trial_possible = false;
    }
    check_good(check, "the name means %s", text);
    target->member = check->in_machine && host_is_member(target->name);
    if (target->member)
        check_good(check, "it is in the virtual machine");
    return true;
}

/* What to do about a remote shell that says this. */
static const char *shell_hint(const char *complaint)
{
    static const struct {
        const char *sign;
        const char *hint;
    } hints[] = {
        {"cannot run", "install ssh, or let PVM_RSH name another remote shell"},
        {"ermission denied", "it must need no password: make a key with ssh-keygen and bring it "
                             "there with ssh-copy-id, or use an agent; or say so=pw"},
        {"ost key verification", "log in there once by hand, and accept the key of the host"},
        {"onnection refused", "no sshd runs there: start it, or say so=ms to start pvmd by hand"},
        {"o route to host", "the host is down, or a firewall stops ssh (TCP, port 22)"},
        {"imed out", "the host is down, or a firewall stops ssh (TCP, port 22)"},
        {"ould not resolve", "ssh needs a name that it can look up: see /etc/hosts and "
                             "~/.ssh/config"},
    };
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (strstr(complaint, hints[i].sign))
            return hints[i].hint;
    return "try it by hand: the remote shell, the host, and echo hello behind it, must print hello";
}

/* The first line of what was complained of, in place. */
static const char *first_line(char *text)
{
    text[strcspn(text, "\r\n")] = '\0';
    return *text ? text : "without a word";
}

static const char *mark_of(const char *line, const char *mark)
{
    size_t length = strlen(mark);
    if (strncmp(line, MARK, strlen(MARK)) != 0 || strncmp(line + strlen(MARK), mark, length) != 0)
        return NULL;
    const char *rest = line + strlen(MARK) + length;
    return *rest == ' ' ? rest + 1 : !*rest ? rest : NULL;
}

static bool check_shell(struct check *check, struct remote_session *session,
                        const struct target *target)
{
    if (!remote_session_start(session, target->network_name, target->login)) {
        check_problem(check, "see ulimit", "the remote shell cannot be run: %s", strerror(errno));
        return false;
    }
    remote_session_say(session, "echo " MARK "shell\n");
    while (true) {
        switch (remote_session_wait(session, -1, check->patience * 1000)) {
        case REMOTE_LINE:
            if (!mark_of(session->line, "shell"))
                continue;
            check_good(check, "the remote shell, %s, gets there without a password", pvmgetrsh());
            return true;
        case REMOTE_SILENT:
            check_problem(check, shell_hint(session->complaint),
                          "the remote shell, %s, gives no answer within %d seconds", pvmgetrsh(),
                          check->patience);
            return false;
        case REMOTE_OTHER:
        case REMOTE_ENDED: {
            const char *hint = shell_hint(session->complaint);
            check_problem(check, hint, "the remote shell, %s, does not get there: %s", pvmgetrsh(),
                          first_line(session->complaint));
            return false;
        }
        }
    }
}

/* Sends the shell there to look around. */
static bool say_look(struct remote_session *session, const struct target *target)
{
    static const char format[] =
        "exec 3<&0; d=${PVM_TMP:-/tmp}; u=`id -u`; c=\n"
        "echo \"" MARK "addresses `hostname -I 2>/dev/null`\"\n"
        "echo \"" MARK "path $PATH\"\n"
        "if [ ! -d \"$d\" ]; then echo \"" MARK "folder-missing $d\"\n"
        "elif (umask 077; echo x >\"$d/pvmcheck.$$\") 2>/dev/null &&\n"
        "  [ -s \"$d/pvmcheck.$$\" ]; then echo \"" MARK "folder $d\"\n"
        "else echo \"" MARK "folder-closed $d\"; fi\n"
        "rm -f \"$d/pvmcheck.$$\" 2>/dev/null\n"
        "[ -z \"$PVM_ROOT\" ] || [ -d \"$PVM_ROOT\" ] || echo \"" MARK "root-missing $PVM_ROOT\"\n"
        "a=$d/pvmd.$u%s%s\n"
        "if [ -e \"$a\" ] && [ ! -O \"$a\" ]; then echo \"" MARK "address-foreign $a\"\n"
        "elif [ -f \"$a\" ]; then read s <\"$a\"\n"
        "p=`echo \"$s\" | sed -n 's/.*pvmtmp0*\\([0-9][0-9]*\\)[.].*/\\1/p'`\n"
        "t=`sed 's/.*) \\(.\\).*/\\1/' /proc/$p/stat 2>/dev/null`\n"
        "if [ -n \"$p\" ] && [ \"$t\" != Z ] && kill -0 $p 2>/dev/null\n"
        "then echo \"" MARK "running $p $t\"\n"
        "else echo \"" MARK "stale $a\"; fi; fi\n"
        "PVM_VMID=check.$$; export PVM_VMID; set -- %s; c=`command -v \"$1\"`\n"
        "if [ -n \"$c\" ]; then echo \"" MARK "pvmd $c\"\n"
        "echo \"" MARK "version `\"$@\" -t 2>&1 </dev/null | head -n 1`\"\n"
        "else echo \"" MARK "pvmd-missing $1\"; fi\n"
        "echo " MARK "looked\n";
    char *text = NULL;
    bool named = *target->machine != '\0';
    if (asprintf(&text, format, named ? "." : "", target->machine, target->daemon) < 0)
        return false;
    remote_session_say(session, text);
    free(text);
    return true;
}

static void check_version(struct check *check, const char *text, bool *found)
{
    const char *protocol = strstr(text, "ddpro ");
    if (!protocol) {
        check_problem(check, "run it there by hand, with -t: it has to tell its version",
                      "the pvmd there does not run: %s", *text ? text : "it prints nothing");
        *found = false;
    } else if (atoi(protocol + strlen("ddpro ")) != PROTOCOL) {
        check_problem(check, "install a pvmd of PVM 3.4 there",
                      "the pvmd there is of another version (%s), ours has ddpro %d", text,
                      PROTOCOL);
        *found = false;
    } else {
        check_good(check, "its pvmd runs: %s", text);
    }
}

static void check_process(struct check *check, const struct target *target, const char *text)
{
    char hint[160];
    int pid = atoi(text);
    const char *state = strchr(text, ' ');
    if (state && state[1] == 'T') {
        snprintf(hint, sizeof hint, "there, kill -CONT %d lets it go on, kill -9 %d ends it", pid,
                 pid);
        check_problem(check, hint, "a pvmd runs there, process %d, but it is stopped", pid);
    } else if (target->member) {
        check_good(check, "a pvmd runs there, process %d", pid);
    } else {
        check_note(check,
                   "a pvmd runs there, process %d: if it is of another virtual machine, end it or "
                   "give this one an id=",
                   pid);
    }
}

/* The addresses of the host, if it can tell them: the address of its name must be one of them. */
static bool check_addresses(struct check *check, const struct target *target, const char *list)
{
    char text[CHECK_ADDRESS], hint[512];

    check_show_address(target->address, text);
    const char *found = strstr(list, text);
    while (found && !(strchr(" ", found[strlen(text)]) && (found == list || found[-1] == ' ')))
        found = strstr(found + 1, text);
    if (!*list || found || check_is_loopback(target->address))
        return true;
    snprintf(hint, sizeof hint,
             "mend /etc/hosts or the name server, or give ip=ADDRESS: it has the addresses %.300s",
             list);
    check_problem(check, hint, "the name means %s here, which is no address of that host", text);
    return false;
}

/* One thing that was seen there. `*possible` becomes false when a pvmd cannot be tried. */
static void check_sight(struct check *check, const struct target *target, const char *line,
                        char *path, size_t size, bool *possible)
{
    static const char folder_hint[] = "let PVM_TMP name a folder there in which you can write";
    const char *text;
    char hint[512];

    if ((text = mark_of(line, "addresses")))
        *possible = check_addresses(check, target, text) && *possible;
    else if ((text = mark_of(line, "path")))
        snprintf(path, size, "%s", text);
    else if ((text = mark_of(line, "folder")))
        check_good(check, "files can be written in %s", text);
    else if ((text = mark_of(line, "folder-missing")))
        check_problem(check, folder_hint, "the folder for sockets, %s, is not there", text);
    else if ((text = mark_of(line, "folder-closed")))
        check_problem(check, folder_hint, "no file can be written in %s there", text);
    else if ((text = mark_of(line, "root-missing")))
        check_problem(check, "set it, where a remote shell reads it, to where PVM is installed",
                      "PVM_ROOT is %s there, which is no folder", text);
    else if ((text = mark_of(line, "address-foreign")))
        check_problem(check, "have it removed, or let PVM_TMP name a folder of your own there",
                      "%s is in the way there: it belongs to another user", text);
    else if ((text = mark_of(line, "running")))
        check_process(check, target, text);
    else if ((text = mark_of(line, "stale")))
        check_note(check,
                   "%s was left there by a pvmd that is dead; ours takes it over, for one of 3.4.6 "
                   "remove it",
                   text);
    else if ((text = mark_of(line, "pvmd")))
        check_good(check, "its pvmd is %s", text);
    else if ((text = mark_of(line, "version")))
        check_version(check, text, possible);
    else if ((text = mark_of(line, "pvmd-missing"))) {
        snprintf(hint, sizeof hint,
                 "install PVM there, or say where it is with dx= or PVM_DPATH; a remote shell has "
                 "PATH %.300s",
                 path);
        check_problem(check, hint, "no pvmd is found there: %s", text);
        *possible = false;
    }
    if (mark_of(line, "folder-missing") || mark_of(line, "folder-closed"))
        *possible = false;
}

/* Looks around there. True when a pvmd can be tried. */
static bool check_sights(struct check *check, struct remote_session *session,
                         const struct target *target)
{
    char path[1024] = "";
    bool possible = say_look(session, target);

    while (true) {
        enum remote_session_result result =
            remote_session_wait(session, -1, check->patience * 1000);
        if (result != REMOTE_LINE) {
            check_problem(check, "run pvmd -t there by hand", "%s",
                          result == REMOTE_SILENT
                              ? "the shell there hangs, or the pvmd that it asks"
                              : "the shell there ended");
            return false;
        }
        if (mark_of(session->line, "looked"))
            return possible;
        check_sight(check, target, session->line, path, sizeof path, &possible);
    }
}

/* A pvmd that was started there to be tried. */
struct trial_pvmd {
    uint32_t address;
    uint16_t port;
    bool ended;
};

static void say_start(struct remote_session *session, const struct datagram_trial *trial,
                      const struct target *target)
{
    static const char format[] = "{ \"$@\" -S -f -d0x0 -n%s %d %s %d %d %s </dev/null & p=$!\n"
                                 "(read x; kill $p) <&3 2>/dev/null & w=$!\n"
                                 "wait $p; echo " MARK "ended; kill $w 2>/dev/null\n"
                                 "rm -f \"$d\"/pvm[dl].$u.check.$$; exit 0; }\n";
    char *text = NULL;
    char own[ENVIRONMENT_ADDRESS_SIZE], other[ENVIRONMENT_ADDRESS_SIZE];
    environment_format_address(own, trial->address, trial->port);
    environment_format_address(other, target->address, 0);
    if (asprintf(&text, format, target->name, TRIAL_MASTER, own, MTU, TRIAL_SLAVE, other) < 0)
        return;
    remote_session_say(session, text);
    free(text);
}

/* Waits for the line in which the pvmd tells of itself. */
static bool trial_begin(struct check *check, struct remote_session *session,
                        struct trial_pvmd *pvmd)
{
    int protocol;
    char address[32];
    while (true) {
        enum remote_session_result result =
            remote_session_wait(session, -1, check->patience * 1000);
        if (result == REMOTE_LINE && !mark_of(session->line, "ended")) {
            if (sscanf(session->line, "ddpro<%d> arch<%*[^>]> ip<%31[^>]>", &protocol, address) ==
                    2 &&
                environment_parse_address(address, &pvmd->address, &pvmd->port))
                return true;
            continue;
        }
        if (result == REMOTE_SILENT)
            check_problem(check, "see the log there, TMP/pvml.UID",
                          "a pvmd that is started there does not tell of itself within %d seconds",
                          check->patience);
        else
            check_problem(check,
                          strstr(session->complaint, "bind") || strstr(session->complaint, "socket")
                              ? "its name must mean an address of that host, here as there; or "
                                "give ip=ADDRESS"
                              : "see what it says",
                          "a pvmd that is started there ends at once: %s",
                          first_line(session->complaint));
        return false;
    }
}

/*
 * Sends packets until one is answered, or with `now` until the pvmd has ended. True when that has
 * happened.
 */
static bool trial_ask(struct remote_session *session, const struct datagram_trial *trial,
                      struct trial_pvmd *pvmd, bool now)
{
    for (int i = 0; i < TRIES; i++) {
        if (now && pvmd->ended)
            return true;
        datagram_trial_ask(trial, pvmd->address, pvmd->port, now);
        switch (remote_session_wait(session, trial->fd, TRY_MS)) {
        case REMOTE_OTHER:
            if (datagram_trial_take(trial, pvmd->address, pvmd->port) && !now)
                return true;
            break;
        case REMOTE_LINE:
            pvmd->ended = pvmd->ended || mark_of(session->line, "ended");
            break;
        case REMOTE_ENDED:
            pvmd->ended = true;
            return now;
        case REMOTE_SILENT:
            break;
        }
    }
    return false;
}

static void check_way(struct check *check, struct remote_session *session,
                      const struct datagram_trial *trial, struct trial_pvmd *pvmd)
{
    static const char hint[] =
        "a firewall stops it: let UDP pass in both directions between all hosts; with "
        "PVMNETSOCKPORT=N, on all of them, pvmds take ports from N on";
    char here[CHECK_ADDRESS], there[CHECK_ADDRESS];
    check_show_address(trial->address, here);
    check_show_address(pvmd->address, there);
    if (trial_ask(session, trial, pvmd, false)) {
        check_good(check,
                   "a pvmd starts there, and packets pass both ways (UDP, port %d here, %d "
                   "there)",
                   trial->port, pvmd->port);
        trial_ask(session, trial, pvmd, true);
    } else if (pvmd->ended || trial_ask(session, trial, pvmd, true)) {
        check_problem(check, hint,
                      "packets from here arrive there, but its answers do not come back (UDP, from "
                      "%s to port %d of %s)",
                      there, trial->port, here);
    } else {
        check_problem(check, hint,
                      "packets from here do not arrive there (UDP, from %s to port %d of %s)", here,
                      pvmd->port, there);
    }
}

static void check_trial(struct check *check, struct remote_session *session,
                        const struct target *target)
{
    struct datagram_trial trial;
    struct trial_pvmd pvmd = {.address = 0};

    if (!datagram_trial_start(&trial, check->address)) {
        check_problem(check, "see PVMNETSOCKPORT", "no socket for packets can be had here: %s",
                      strerror(errno));
        return;
    }
    say_start(session, &trial, target);
    if (trial_begin(check, session, &pvmd))
        check_way(check, session, &trial, &pvmd);
    /* The end of its input ends the pvmd there, if it still runs; then it tidies up. */
    remote_session_hang_up(session);
    while (remote_session_wait(session, -1, check->patience * 1000) == REMOTE_LINE)
        continue;
    datagram_trial_finish(&trial);
}

void check_there(struct check *check, const char *host)
{
    struct target target;
    struct remote_session session;

    check->host = host;
    if (!target_read(check, &target, host))
        return;
    check->host = target.name;
    if (*target.start) {
        check_note(check,
                   "so=%s: somebody has to be asked for each start, so that nothing is tried there",
                   target.start);
    } else if (target_find(check, &target)) {
        if (check_shell(check, &session, &target) && check_sights(check, &session, &target) &&
            check->trial_possible)
            check_trial(check, &session, &target);
        remote_session_finish(&session);
    }
    words_free(&target.words);
}
