/* editor.c - libedit asks for each key; until one is pressed, messages are waited for as well. */
#include "console/editor.h"

#ifndef HAVE_LIBEDIT

struct editor *editor_start(struct console *console, const char *prompt)
{
    (void)console, (void)prompt;
    return NULL;
}

void editor_finish(struct editor *editor)
{
    (void)editor;
}

const char *editor_line(struct editor *editor)
{
    (void)editor;
    return NULL;
}

#else

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "console/complete.h"
#include "console/events.h"
#include "console/history_file.h"
#include "tracing/wait.h"

#define COLUMNS_ELSE 80

struct editor {
    EditLine *edit;
    History *history;
    struct history_file file;
    struct console *console;
    char *prompt;
    char *line;
    int columns; /* of the terminal when the line was shown */
};

static struct editor *editor_of(EditLine *edit)
{
    void *editor = NULL;
    el_get(edit, EL_CLIENTDATA, &editor);
    return editor;
}

static char *editor_prompt(EditLine *edit)
{
    return editor_of(edit)->prompt;
}

static int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
                                                                           : COLUMNS_ELSE;
}

/* How many columns a text takes. */
static int text_columns(const char *text, size_t length)
{
    int columns = 0;
    mbstate_t state = {0};
    while (length > 0) {
        wchar_t character;
        size_t taken = mbrtowc(&character, text, length, &state);
        if (taken == 0 || taken > length) {
            state = (mbstate_t){0};
            taken = 1;
            character = L'?';
        }
        int width = wcwidth(character);
        columns += width < 0 ? 2 : width; /* libedit shows ^X for a control character */
        text += taken;
        length -= taken;
    }
    return columns;
}

static void terminal_do(EditLine *edit, const char *capability)
{
    char name[3], *text = NULL;
    snprintf(name, sizeof name, "%s", capability);
    el_get(edit, EL_GETTC, name, &text);
    if (text)
        fputs(text, stdout);
}

/* Removes the prompt and the line from the screen, so that there is room for something else. */
static void editor_hide(struct editor *editor)
{
    const LineInfo *line = el_line(editor->edit);
    int columns = text_columns(editor->prompt, strlen(editor->prompt)) +
                  text_columns(line->buffer, (size_t)(line->cursor - line->buffer));
    for (int rows = columns / editor->columns; rows > 0; rows--)
        terminal_do(editor->edit, "up");
    fputc('\r', stdout);
    terminal_do(editor->edit, "cd");
}

/* Shows what has come above the line. False when the pvmd is lost. */
static bool editor_show_events(struct editor *editor)
{
    editor->columns = terminal_columns();
    editor_hide(editor);
    bool there = events_take(editor->console);
    fflush(stdout);
    if (there)
        el_set(editor->edit, EL_REFRESH);
    return there;
}

/* The next byte that is typed: 1; 0 at the end, -1 when the pvmd is lost. */
static int editor_read_byte(struct editor *editor, char *byte)
{
    while (true) {
        bool typed = wait_for(STDIN_FILENO);
        bool other = !typed || editor->columns != terminal_columns();
        if (other && !editor_show_events(editor)) {
            editor->console->finished = true;
            editor->console->status = EXIT_FAILURE;
            return -1;
        }
        if (!typed)
            continue;
        ssize_t got = read(STDIN_FILENO, byte, 1);
        if (got >= 0 || errno != EINTR)
            return got > 0 ? 1 : 0;
    }
}

static int editor_read_key(EditLine *edit, wchar_t *key)
{
    struct editor *editor = editor_of(edit);
    mbstate_t state = {0};
    while (true) {
        char byte;
        int got = editor_read_byte(editor, &byte);
        if (got <= 0)
            return got;
        size_t taken = mbrtowc(key, &byte, 1, &state);
        if (taken == 0 || taken == 1)
            return 1;
        if (taken == (size_t)-1) /* no character: begin again behind it */
            state = (mbstate_t){0};
    }
}

/* Ctrl-C: the line is given up. */
static unsigned char editor_abandon(EditLine *edit, int key)
{
    (void)key;
    const LineInfo *line = el_line(edit);
    el_cursor(edit, (int)(line->lastchar - line->cursor));
    line = el_line(edit);
    printf("^C\n");
    el_deletestr(edit, (int)(line->lastchar - line->buffer));
    return CC_REDISPLAY;
}

/* Ctrl-Z: the terminal is as before until the console goes on. */
static unsigned char editor_suspend(EditLine *edit, int key)
{
    (void)key;
    el_set(edit, EL_PREP_TERM, 0);
    raise(SIGTSTP);
    el_set(edit, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
}

static void words_print(const struct completions *completions)
{
    int width = 0;
    for (int i = 0; i < completions->count; i++) {
        int length = (int)strlen(completions->words[i]);
        width = length > width ? length : width;
    }
    int across = terminal_columns() / (width + 2);
    int rows = across > 0 ? (completions->count + across - 1) / across : completions->count;
    for (int row = 0; row < rows; row++) {
        printf("\n");
        for (int i = row; i < completions->count; i += rows) {
            bool last = i + rows >= completions->count;
            printf("%-*s", last ? 0 : width + 2, completions->words[i]);
        }
    }
    printf("\n");
}

/* How many bytes all of the words begin with alike. */
static size_t words_prefix(const struct completions *completions)
{
    size_t length = strlen(completions->words[0]);
    for (int i = 1; i < completions->count; i++)
        while (strncmp(completions->words[0], completions->words[i], length) != 0)
            length--;
    return length;
}

/* Adds the rest of what the word can become; false when it is as long as it can be already. */
static bool editor_insert(EditLine *edit, const struct completions *completions, size_t typed)
{
    char text[PATH_MAX];
    size_t length = words_prefix(completions);
    if (length >= sizeof text - 1)
        return true;
    memcpy(text, completions->words[0], length);
    bool ends = completions->count == 1 && length > 0 && !strchr("/=:", text[length - 1]);
    snprintf(text + length, sizeof text - length, "%s", ends ? " " : "");
    if (strlen(text) > typed)
        el_insertstr(edit, text + typed);
    return strlen(text) > typed;
}

static unsigned char editor_complete(EditLine *edit, int key)
{
    struct completions completions;
    const LineInfo *line = el_line(edit);
    size_t cursor = (size_t)(line->cursor - line->buffer);
    unsigned char result = CC_REFRESH;

    (void)key;
    complete(editor_of(edit)->console, line->buffer, cursor, &completions);
    if (completions.count == 0) {
        result = CC_REFRESH_BEEP;
    } else if (!editor_insert(edit, &completions, cursor - completions.start)) {
        words_print(&completions);
        result = CC_REDISPLAY;
    }
    completions_finish(&completions);
    return result;
}

static void history_add(struct editor *editor, const char *line)
{
    HistEvent event;
    history(editor->history, &event, H_ENTER, line);
}

static void editor_load_history(struct editor *editor)
{
    char *line;
    history_file_open(&editor->file);
    while ((line = history_file_next(&editor->file)))
        history_add(editor, line);
}

/* The keys, and then the keys of the user's ~/.editrc. */
static void editor_set_keys(EditLine *edit)
{
    el_set(edit, EL_EDITOR, "emacs");
    /* Wide names, since el_set would copy them and lose the copies. */
    el_wset(edit, EL_ADDFN, L"pvm-complete", L"Complete a word of PVM", editor_complete);
    el_wset(edit, EL_ADDFN, L"pvm-abandon", L"Give up the line", editor_abandon);
    el_set(edit, EL_BIND, "^I", "pvm-complete", NULL);
    el_set(edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_set(edit, EL_BIND, "^C", "pvm-abandon", NULL);
    el_wset(edit, EL_ADDFN, L"pvm-suspend", L"Suspend the console", editor_suspend);
    el_set(edit, EL_BIND, "^Z", "pvm-suspend", NULL);
    el_set(edit, EL_SETTY, "-d", "-isig", NULL); /* so that ^C is read */
    el_source(edit, NULL);
}

static bool terminal_can_edit(void)
{
    const char *name = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && name && *name &&
           strcmp(name, "dumb") != 0;
}

struct editor *editor_start(struct console *console, const char *prompt)
{
    HistEvent event;
    struct editor *editor = terminal_can_edit() ? calloc(1, sizeof *editor) : NULL;
    if (!editor)
        return NULL;
    setlocale(LC_CTYPE, "");
    editor->console = console;
    editor->prompt = strdup(prompt);
    editor->history = history_init();
    editor->edit = el_init("pvm", stdin, stdout, stderr);
    if (!editor->prompt || !editor->history || !editor->edit) {
        editor_finish(editor);
        return NULL;
    }
    history(editor->history, &event, H_SETSIZE, HISTORY_LINES);
    history(editor->history, &event, H_SETUNIQUE, 1);
    el_set(editor->edit, EL_CLIENTDATA, editor);
    el_set(editor->edit, EL_PROMPT, editor_prompt);
    el_set(editor->edit, EL_GETCFN, editor_read_key);
    el_set(editor->edit, EL_HIST, history, editor->history);
    el_set(editor->edit, EL_SIGNAL, 1);
    editor_set_keys(editor->edit);
    editor_load_history(editor);
    return editor;
}

void editor_finish(struct editor *editor)
{
    if (!editor)
        return;
    if (editor->edit)
        el_end(editor->edit);
    if (editor->history)
        history_end(editor->history);
    history_file_close(&editor->file);
    free(editor->prompt);
    free(editor->line);
    free(editor);
}

/* Keeps a line that says something; one that begins with a blank is not to be kept. */
static void editor_remember(struct editor *editor)
{
    if (!*editor->line || strchr(" \t", *editor->line))
        return;
    history_add(editor, editor->line);
    history_file_add(&editor->file, editor->line);
}

const char *editor_line(struct editor *editor)
{
    int length;
    if (!events_take(editor->console)) {
        editor->console->finished = true;
        editor->console->status = EXIT_FAILURE;
        return NULL;
    }
    editor->columns = terminal_columns();
    el_set(editor->edit, EL_PREP_TERM, 1); /* before the prompt, so that nothing is echoed twice */
    const char *text = el_gets(editor->edit, &length);
    if (!text || length <= 0)
        return NULL;
    free(editor->line);
    editor->line = strndup(text, (size_t)length - (text[length - 1] == '\n'));
    if (editor->line)
        editor_remember(editor);
    return editor->line;
}

#endif
