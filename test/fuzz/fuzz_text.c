/*
 * fuzz_text.c - any text where a daemon, a library or the console reads text: hosts and files of
 * hosts, what the daemon of a new host prints and gets, addresses, patterns, command lines.
 *
 * Input: a byte that chooses the reader, and the text. Texts with a part of their own end it by
 * a NUL.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <pvm3.h>

#include "console/parse.h"
#include "core/environment.h"
#include "core/error.h"
#include "core/expand.h"
#include "daemon/base/settings.h"
#include "daemon/command_line.h"
#include "daemon/members/host_file.h"
#include "daemon/members/host_spec.h"
#include "daemon/members/host_start.h"
#include "daemon/post/hosts.h"
#include "daemon/post/machine_key.h"
#include "daemon/requests/pattern.h"
#include "core/search.h"

#include "input.h"

#define WORDS_OF_LINE 12

/* The next text, up to a NUL or the end; the caller's to free. */
static char *take_text(struct input *input)
{
    size_t length = strnlen((const char *)input->bytes, input->size);
    char *text = strndup((const char *)input->bytes, length);
    MUST(text);
    input_part(input, length + 1);
    return text;
}

/* What a specification gives lies in memory of its own, and its options in that. */
static void expect_sane(const struct host_spec *spec)
{
    MUST(spec->name && *spec->name && host_spec_address(spec));
    for (int i = 0; i < HOST_OPTION_COUNT; i++)
        MUST(!spec->options[i] ||
             (spec->options[i] > spec->text && strlen(spec->options[i]) < 65536));
}

/* The command and the order for a host that somebody described. */
static void expect_start(const struct host_spec *spec)
{
    static const struct host master = {.part = 1 << TID_HOST_SHIFT, .name = "master"};
    char *command = host_start_command(spec, &master, 2 << TID_HOST_SHIFT, 0x7f000002, true);
    struct message *order = control_new(SM_STHOST, 0, 1);
    MUST(command && strstr(command, spec->name));
    MUST(order && host_start_put(order, spec, &master, 2 << TID_HOST_SHIFT, 0x7f000002));
    message_free(order);
    free(command);
}

static void read_spec(struct input input)
{
    char *line = take_text(&input);
    struct host_spec spec;
    if (host_spec_read(&spec, line) == HOST_SPEC_GOOD) {
        expect_sane(&spec);
        expect_start(&spec);
        host_spec_free(&spec);
    }
    free(line);
}

static void use_file(const struct host_file *file, const char *name)
{
    struct settings settings = {.search_path = strdup(""), .debugger = strdup("")};
    struct host_spec spec;
    size_t place = 0;
    settings.directory = strdup("");
    host_file_apply(file, &settings);
    for (const char *host; (host = host_file_to_start(file, &place)) != NULL;)
        MUST(*host);
    if (host_spec_read(&spec, name) == HOST_SPEC_GOOD) {
        host_file_complete(file, &spec);
        host_spec_free(&spec);
    }
    settings_finish(&settings);
}

/* A file of hosts, for the daemon on the host that is named first. */
static void read_file(struct input input)
{
    char *name = take_text(&input);
    char path[64];
    int fd = memfd_create("hosts", MFD_CLOEXEC);
    MUST(fd >= 0 && write(fd, input.bytes, input.size) == (ssize_t)input.size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    struct host_file *file = host_file_read(path, name);
    MUST(file);
    use_file(file, name);
    host_file_free(file);
    close(fd);
    free(name);
}

static void read_start_line(struct input input)
{
    char *line = take_text(&input);
    struct host_start_result result = {.mtu = 0};
    int32_t error = host_start_judge(line, &result);
    MUST(error <= 0);
    if (error == PvmOk)
        MUST(result.mtu >= HOST_MTU_LEAST &&
             memchr(result.architecture, '\0', sizeof result.architecture));
    free(line);
}

static void read_address(struct input input)
{
    char *text = take_text(&input);
    char again[ENVIRONMENT_ADDRESS_SIZE];
    uint32_t address, same_address;
    uint16_t port, same_port;
    if (environment_parse_address(text, &address, &port)) {
        environment_format_address(again, address, port);
        MUST(environment_parse_address(again, &same_address, &same_port));
        MUST(address == same_address && port == same_port);
    }
    int code = error_code(text);
    MUST(code == 0 || strcmp(error_name(code), text) == 0);
    free(text);
}

/* A name is one of a class of its own, and of the class of all. */
static void match_pattern(struct input input)
{
    char *pattern = take_text(&input), *name = take_text(&input);
    pattern_fits(pattern, name);
    MUST(pattern_fits("", name) && pattern_fits("*", name));
    if (!strchr(pattern, '*') && !strchr(pattern, '\\'))
        MUST(pattern_fits(pattern, name) == (strstr(name, pattern) != NULL));
    free(pattern);
    free(name);
}

static void expand(struct input input)
{
    char *text = take_text(&input), *program = take_text(&input);
    char *expanded = expand_variables(text);
    MUST(expanded && (strchr(text, '$') || strcmp(text, expanded) == 0));
    free(search_program(program, expanded, -1));
    free(expanded);
    free(text);
    free(program);
}

static void split_line(struct input input)
{
    char *line = take_text(&input);
    struct words words, twice = {.count = 0};
    if (words_split(&words, line) == PARSE_OK) {
        MUST(words.count <= WORDS_MOST && !words.word[words.count]);
        words_append(&twice, words.word, words.count);
        words_append(&twice, words.word, words.count);
        MUST(twice.count >= words.count);
        words_free(&twice);
    }
    words_free(&words);
    free(line);
}

static void read_command(struct input input)
{
    char *words[WORDS_OF_LINE + 1] = {NULL};
    struct command_line command;
    for (int i = 0; i < WORDS_OF_LINE && input.size > 0; i++)
        words[i] = take_text(&input);
    command_line_read(&command, words);
    if (command.is_slave && command.order == COMMAND_LINE_RUN)
        MUST(command.slave.master_mtu >= HOST_MTU_LEAST &&
             command.slave.index != command.slave.master_index);
    for (int i = 0; i < WORDS_OF_LINE; i++)
        free(words[i]);
}

static void read_key(struct input input)
{
    static struct machine_key key;
    char *text = take_text(&input), again[MACHINE_KEY_TEXT_SIZE];
    if (machine_key_read(&key, text, 1, 2)) {
        machine_key_write(&key, 1, again);
        MUST(strcmp(text, again) == 0 && key.salts[2] != 0);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(struct input) = {read_spec,    read_file,     read_start_line,
                                                    read_address, match_pattern, expand,
                                                    split_line,   read_command,  read_key};
    struct input input = {data, size};
    readers[input_byte(&input) % (sizeof readers / sizeof readers[0])](input);
    return 0;
}
