/* screen.c - what is drawn with ncurses, and what keys do. */
#include "top/screen.h"

#include <curses.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pvm3.h>

#include "sched/clock.h"
#include "top/lines.h"

/* Seconds for which an agent is waited for: keys wait so long, too. */
static const double patience = 1;

enum { KEY_ESCAPE = 27, KEY_RUBOUT = 127 };

/* What keys are for. */
enum mode { MODE_TABLE, MODE_FILTER, MODE_KILL };

struct screen {
    struct survey *survey;
    enum order order;
    char filter[64];
    enum mode mode;
    size_t selected;   /* a task, by its place among those that are shown */
    int selected_tid;  /* 0: none yet */
    int doomed;        /* the task that MODE_KILL asks about */
    size_t first;      /* task that is drawn */
    char told[128];    /* what became of the last key; empty: the keys are told */
    bool quits, looks; /* at once */
};

/* The selected task. --------------------------------------------------------------------------- */

static const struct picture *picture_of(const struct screen *screen)
{
    return &screen->survey->picture;
}

static const struct task *selected_task(const struct screen *screen)
{
    const struct picture *picture = picture_of(screen);
    return screen->selected < picture->shown ? &picture->tasks[screen->selected] : NULL;
}

static void select_place(struct screen *screen, long place)
{
    long last = (long)picture_of(screen)->shown - 1;
    screen->selected = (size_t)(place > last ? (last > 0 ? last : 0) : place < 0 ? 0 : place);
    const struct task *task = selected_task(screen);
    screen->selected_tid = task ? task->tid : 0;
}

/* Brings the tasks in order. The selected one stays selected, wherever it comes to stand. */
static void arrange(struct screen *screen)
{
    const struct picture *picture = picture_of(screen);
    picture_arrange(&screen->survey->picture, screen->order, screen->filter);
    for (size_t i = 0; i < picture->shown; i++)
        if (picture->tasks[i].tid == screen->selected_tid)
            screen->selected = i;
    select_place(screen, (long)screen->selected);
}

/* Drawing. ------------------------------------------------------------------------------------- */

static void line_draw(int row, const struct line *line, attr_t attributes)
{
    attr_set(attributes, 0, NULL);
    mvprintw(row, 0, "%-*.*s", COLS, COLS, line->text);
    attr_set(A_NORMAL, 0, NULL);
}

/* Hosts take at most half of the screen. Returns the row behind them. */
static int hosts_draw(const struct screen *screen)
{
    const struct picture *picture = picture_of(screen);
    struct line line = line_of_hosts();
    int row = 0;
    line_draw(row++, &line, A_REVERSE);
    for (size_t i = 0; i < picture->host_count && row < LINES / 2; i++) {
        line = line_of_host(picture, &picture->hosts[i]);
        line_draw(row++, &line, A_NORMAL);
    }
    return row + 1;
}

static void tasks_draw(struct screen *screen, int row)
{
    const struct picture *picture = picture_of(screen);
    struct line line = line_of_tasks();
    line_draw(row++, &line, A_REVERSE);
    size_t rows = LINES - 1 > row ? (size_t)(LINES - 1 - row) : 1;
    if (screen->selected < screen->first)
        screen->first = screen->selected;
    if (screen->selected >= screen->first + rows)
        screen->first = screen->selected - rows + 1;
    for (size_t i = screen->first; i < picture->shown && row < LINES - 1; i++) {
        line = line_of_task(&picture->tasks[i]);
        line_draw(row++, &line, i == screen->selected ? A_BOLD | A_UNDERLINE : A_NORMAL);
    }
}

static struct line bottom_line(const struct screen *screen)
{
    struct line line;
    if (screen->mode == MODE_FILTER)
        snprintf(line.text, sizeof line.text, "filter: %s", screen->filter);
    else if (*screen->told)
        snprintf(line.text, sizeof line.text, "%s", screen->told);
    else
        snprintf(line.text, sizeof line.text,
                 "q quit  s sort (%s)  / filter (%s)  k kill  space look  %zu of %zu tasks",
                 order_name(screen->order), screen->filter, picture_of(screen)->shown,
                 picture_of(screen)->task_count);
    return line;
}

static void draw(struct screen *screen)
{
    struct line bottom = bottom_line(screen);
    erase();
    tasks_draw(screen, hosts_draw(screen));
    line_draw(LINES - 1, &bottom, A_NORMAL);
    refresh();
}

/* Keys. ---------------------------------------------------------------------------------------- */

static void filter_key(struct screen *screen, int key)
{
    size_t length = strlen(screen->filter);
    if (key == '\n' || key == KEY_ENTER) {
        screen->mode = MODE_TABLE;
    } else if (key == KEY_ESCAPE) {
        screen->filter[0] = '\0';
        screen->mode = MODE_TABLE;
    } else if ((key == KEY_BACKSPACE || key == KEY_RUBOUT || key == '\b') && length > 0) {
        screen->filter[length - 1] = '\0';
    } else if (key >= ' ' && key < KEY_RUBOUT && length < sizeof screen->filter - 1) {
        screen->filter[length] = (char)key;
        screen->filter[length + 1] = '\0';
    }
    arrange(screen);
}

/* Asks about the selected task. By the time of the answer another one may be selected. */
static void kill_ask(struct screen *screen)
{
    const struct task *task = selected_task(screen);
    if (!task)
        return;
    screen->mode = MODE_KILL;
    screen->doomed = task->tid;
    snprintf(screen->told, sizeof screen->told, "kill t%x (%s)? y or n", (unsigned)task->tid,
             task->program);
}

static void kill_key(struct screen *screen, int key)
{
    screen->mode = MODE_TABLE;
    screen->told[0] = '\0';
    if (key != 'y')
        return;
    int result = pvm_kill(screen->doomed);
    snprintf(screen->told, sizeof screen->told, "t%x: %s", (unsigned)screen->doomed,
             result < 0 ? pvm_strerror() : "killed");
    screen->looks = true;
}

static void table_key(struct screen *screen, int key)
{
    long place = (long)screen->selected, page = LINES / 2;
    screen->told[0] = '\0';
    switch (key) {
    case 'q':
        screen->quits = true;
        break;
    case ' ':
        screen->looks = true;
        break;
    case 's':
        screen->order = (enum order)((screen->order + 1) % ORDER_COUNT);
        arrange(screen);
        break;
    case '/':
        screen->mode = MODE_FILTER;
        break;
    case 'k':
        kill_ask(screen);
        break;
    case KEY_UP:
        select_place(screen, place - 1);
        break;
    case KEY_DOWN:
        select_place(screen, place + 1);
        break;
    case KEY_PPAGE:
        select_place(screen, place - page);
        break;
    case KEY_NPAGE:
        select_place(screen, place + page);
        break;
    default:
        break;
    }
}

static void keys_take(struct screen *screen)
{
    static void (*const take[])(struct screen *, int) = {
        [MODE_TABLE] = table_key, [MODE_FILTER] = filter_key, [MODE_KILL] = kill_key};
    int key;
    while ((key = getch()) != ERR)
        if (key == KEY_RESIZE)
            clearok(curscr, TRUE); /* terminals differ in what they keep */
        else
            take[screen->mode](screen, key);
}

/* Looks. --------------------------------------------------------------------------------------- */

/* Shows one look until it is time for the next. False when the virtual machine is gone. */
static bool show(struct screen *screen, double until)
{
    screen->looks = false;
    do {
        draw(screen);
        if (!survey_wait(screen->survey, STDIN_FILENO, until))
            return false;
        keys_take(screen);
    } while (!screen->quits && !screen->looks && clock_now() < until);
    return true;
}

static bool terminal_begin(void)
{
    setlocale(LC_CTYPE, "");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !newterm(NULL, stdout, stdin)) {
        fprintf(stderr, "pvmtop: this is no terminal that it knows: --once prints tables\n");
        return false;
    }
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    return true;
}

int screen_run(struct survey *survey, const struct settings *settings)
{
    struct screen screen = {.survey = survey, .order = settings->order};
    bool there = true;
    snprintf(screen.filter, sizeof screen.filter, "%s", settings->filter);
    if (!terminal_begin())
        return EXIT_FAILURE;
    while (!screen.quits && there && (there = survey_take(survey, patience))) {
        arrange(&screen);
        there = show(&screen, clock_now() + settings->delay);
    }
    endwin();
    if (!there)
        fprintf(stderr, "pvmtop: the virtual machine is gone\n");
    return there ? EXIT_SUCCESS : EXIT_FAILURE;
}
