/*
 * environment.c - what a program does with its environment. It prints the same as a process and as
 * one of several user-level processes that run at once.
 *
 * usage: environment
 * With OWN in its environment it is one that was started by it, and prints that.
 */
#define _GNU_SOURCE
#include <pvm3.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fail.h"

enum { NAP_US = 1000, MANY = 100 };

extern char **environ;

static char own[40];

/* Others change theirs meanwhile. */
static void show(const char *what, const char *name)
{
    usleep(NAP_US);
    const char *value = getenv(name);
    if (value && strcmp(value, own) == 0)
        value = "its own";
    printf("%s: %s\n", what, value ? value : "none");
}

static int count(void)
{
    int number = 0;
    for (char **variable = environ; variable && *variable; variable++)
        number++;
    return number;
}

static void change_variables(char **handed)
{
    static char text[60] = "PUT=before";
    int before = count();
    expect("what main is handed", handed == environ, 1);
    show("at first", "OWN");
    setenv("OWN", own, 1);
    show("set", "OWN");
    setenv("OWN", "another", 0);
    show("set, but not in its place", "OWN");
    char *value = getenv("OWN");
    setenv("OWN", "another", 1);
    printf("the value that was got: %s\n", strcmp(value, own) == 0 ? "its own" : value);
    putenv(text);
    strcpy(text + 4, own);
    show("put", "PUT");
    unsetenv("OWN");
    show("unset", "OWN");
    putenv("PUT");
    show("unset by putenv", "PUT");
    printf("%d more\n", count() - before);
    printf("errors: %d %d %d\n", setenv("A=B", "", 1), setenv("", "", 1), unsetenv("A=B"));
}

static void change_list(void)
{
    static char *list[] = {"ONE=1", own, NULL};
    char name[20];
    environ = list;
    show("a list of the program", "ONE");
    setenv("TWO", "2", 1);
    show("one more", "TWO");
    printf("%d in all, %d in the list\n", count(), list[2] != NULL);
    clearenv();
    printf("cleared: %d\n", count());
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "NAME%d", i);
        setenv(name, own, 1);
    }
    show("many", "NAME57");
    printf("%d in all\n", count());
}

static void print_first_line(const char *who, FILE *from)
{
    char line[100] = "nothing\n";
    if (!fgets(line, sizeof line, from))
        strcpy(line, "nothing\n");
    line[strcspn(line, "\n")] = '\0';
    printf("%s: %s\n", who, strcmp(line, own) == 0 ? "its own" : line);
}

/* What a child prints that does not return. */
static void print_of(const char *who, void (*child)(void))
{
    int ends[2];
    expect("pipe", pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], 1);
        child();
        _exit(1);
    }
    close(ends[1]);
    FILE *from = fdopen(ends[0], "r");
    print_first_line(who, from);
    fclose(from);
    waitpid(pid, NULL, 0);
}

static void run_execv(void)
{
    execv("/bin/sh", (char *[]){"sh", "-c", "echo $OWN", NULL});
}

static void run_execl(void)
{
    execl("/bin/sh", "sh", "-c", "echo $OWN", NULL);
}

static void run_execlp(void)
{
    execlp("found", "found", NULL);
}

static void run_execvpe(void)
{
    execvpe("found", (char *[]){"found", NULL}, environ);
}

static void run_spawn(void)
{
    pid_t pid;
    expect("posix_spawnp",
           posix_spawnp(&pid, "found", NULL, NULL, (char *[]){"found", NULL}, environ), 0);
    waitpid(pid, NULL, 0);
}

static void run_system(void)
{
    expect("system", system("echo $OWN; exit 3"), 3 << 8);
}

/* A command that only the program's own PATH has. */
static void make_command(char *folder)
{
    char path[80], all[200];
    expect("mkdtemp", mkdtemp(folder) != NULL, 1);
    snprintf(path, sizeof path, "%s/found", folder);
    FILE *file = fopen(path, "w");
    fprintf(file, "#!/bin/sh\necho $OWN\n");
    fclose(file);
    chmod(path, 0700);
    snprintf(all, sizeof all, "%s:/bin:/usr/bin", folder);
    setenv("PATH", all, 1);
}

static void hand_on(void)
{
    char folder[] = "/tmp/environmentXXXXXX", path[80];
    setenv("OWN", own, 1);
    make_command(folder);
    print_of("execv", run_execv);
    print_of("execl", run_execl);
    print_of("execlp", run_execlp);
    print_of("execvpe", run_execvpe);
    print_of("posix_spawnp", run_spawn);
    print_of("system", run_system);
    printf("system without others: %d\n", system("test \"$OWN\" = \"$(found)\""));
    FILE *from = popen("echo $OWN; exit 5", "r");
    print_first_line("popen", from);
    printf("pclose: %d\n", pclose(from) >> 8);
    snprintf(path, sizeof path, "%s/written", folder);
    setenv("INTO", path, 1);
    FILE *to = popen("cat > $INTO; echo $OWN >> $INTO", "w");
    fprintf(to, "%s\n", own);
    printf("pclose: %d\n", pclose(to));
    from = fopen(path, "r");
    print_first_line("written to popen", from);
    print_first_line("written by popen", from);
    fclose(from);
    unlink(path);
    snprintf(path, sizeof path, "%s/found", folder);
    unlink(path);
    rmdir(folder);
}

int main(int argc, char **argv, char **environment)
{
    (void)argc, (void)argv;
    snprintf(own, sizeof own, "OWN%x", pvm_mytid());
    change_variables(environment);
    hand_on();
    change_list(); /* the one from before is gone */
    pvm_exit();
    return 0;
}
