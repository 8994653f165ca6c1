/*
 * format.c - pvm_packf and pvm_unpackf. The grammar:
 *
 *     % [count] [. stride] modifiers letter        count, stride: digits, or * for an int argument
 *
 * A negative count stands for nothing. Letters: c byte, d int, f float, x complex, s string;
 * modifiers h, l, u. Other characters are ignored. "%+" at the very start of a pack format makes a
 * new send buffer, its encoding an int argument.
 */
#include <ctype.h>
#include <stdbool.h>

#include "lib/calls/pack.h"
#include "lib/link/pvmd_link.h"
#include "lib/task/buffer.h"
#include "lib/task/process.h"
#include "lib/task/public.h"

struct conversion {
    int count;
    int stride;
    bool array; /* a count or a stride was written: the argument is an address */
    bool is_short;
    bool is_long;
    bool is_unsigned;
    char letter;
};

/* A va_list that functions can pass on by address. */
struct arguments {
    va_list list;
};

static const char *format_number(const char *format, struct arguments *arguments, int *number)
{
    if (*format == '*') {
        *number = va_arg(arguments->list, int);
        return format + 1;
    }
    for (*number = 0; isdigit((unsigned char)*format); format++)
        *number = *number * 10 + (*format - '0');
    return format;
}

/* Reads one conversion behind its '%'. */
static const char *format_parse(const char *format, struct arguments *arguments,
                                struct conversion *conversion)
{
    *conversion = (struct conversion){.count = 1, .stride = 1};
    if (*format == '*' || isdigit((unsigned char)*format)) {
        format = format_number(format, arguments, &conversion->count);
        conversion->array = true;
    }
    if (*format == '.') {
        format++;
        if (*format == '*' || isdigit((unsigned char)*format))
            format = format_number(format, arguments, &conversion->stride);
        conversion->array = true;
    }
    for (;; format++) {
        if (*format == 'h')
            conversion->is_short = true;
        else if (*format == 'l')
            conversion->is_long = true;
        else if (*format == 'u')
            conversion->is_unsigned = true;
        else
            break;
    }
    conversion->letter = *format;
    return *format ? format + 1 : format;
}

/* The type of numbers that a conversion stands for, or PvmBadParam. */
static int format_type(const struct conversion *conversion)
{
    switch (conversion->letter) {
    case 'c':
        return PVM_BYTE;
    case 'd':
        if (conversion->is_long)
            return conversion->is_unsigned ? PVM_ULONG : PVM_LONG;
        if (conversion->is_short)
            return conversion->is_unsigned ? PVM_USHORT : PVM_SHORT;
        return conversion->is_unsigned ? PVM_UINT : PVM_INT;
    case 'f':
        return conversion->is_long ? PVM_DOUBLE : PVM_FLOAT;
    case 'x':
        return conversion->is_long ? PVM_DCPLX : PVM_CPLX;
    default:
        return PvmBadParam;
    }
}

static int format_count(const struct conversion *conversion)
{
    return conversion->count < 0 ? 0 : conversion->count;
}

/* One item passed by value, promoted as C promotes it. */
static int format_pack_value(int type, struct arguments *arguments)
{
    union {
        char byte;
        short small;
        int number;
        long large;
        float real;
        double precise;
    } item;
    switch (type) {
    case PVM_BYTE:
        item.byte = (char)va_arg(arguments->list, int);
        break;
    case PVM_SHORT:
    case PVM_USHORT:
        item.small = (short)va_arg(arguments->list, int);
        break;
    case PVM_LONG:
    case PVM_ULONG:
        item.large = va_arg(arguments->list, long);
        break;
    case PVM_FLOAT:
        item.real = (float)va_arg(arguments->list, double);
        break;
    case PVM_DOUBLE:
        item.precise = va_arg(arguments->list, double);
        break;
    default:
        item.number = va_arg(arguments->list, int);
    }
    return pack_value(type, &item);
}

static int format_pack(const struct conversion *conversion, struct arguments *arguments)
{
    if (conversion->letter == 's')
        return pack_string(va_arg(arguments->list, const char *));
    int type = format_type(conversion);
    if (type < 0)
        return type;
    if (conversion->array || type == PVM_CPLX || type == PVM_DCPLX)
        return pack_items(type, va_arg(arguments->list, const void *), format_count(conversion),
                          conversion->stride);
    return format_pack_value(type, arguments);
}

static int format_unpack(const struct conversion *conversion, struct arguments *arguments)
{
    if (conversion->letter == 's')
        return unpack_string(va_arg(arguments->list, char *));
    int type = format_type(conversion);
    if (type < 0)
        return type;
    return unpack_items(type, va_arg(arguments->list, void *), format_count(conversion),
                        conversion->stride);
}

static int format_run(const char *format, struct arguments *arguments,
                      int (*convert)(const struct conversion *conversion,
                                     struct arguments *arguments))
{
    int error = 0;
    while (*format && error == 0) {
        struct conversion conversion;
        if (*format++ != '%')
            continue;
        format = format_parse(format, arguments, &conversion);
        error = convert(&conversion, arguments);
    }
    return error;
}

int pvm_vpackf(const char *format, va_list list)
{
    struct caller *caller = caller_self();
    struct arguments arguments;
    va_copy(arguments.list, list);
    int error = format ? 0 : PvmBadParam;
    pvmd_link_try(caller->task);
    if (format && format[0] == '%' && format[1] == '+') {
        error = pvm_initsend(va_arg(arguments.list, int));
        format += 2;
    }
    turns_use(&caller->task->turns, caller, TURNS_SEND);
    if (error >= 0 && !buffer_active_id(&caller->send))
        error = PvmNoBuf;
    if (error >= 0)
        error = format_run(format, &arguments, format_pack);
    va_end(arguments.list);
    return task_result(caller->task, "pvm_packf", error);
}

int pvm_vunpackf(const char *format, va_list list)
{
    struct caller *caller = caller_self();
    struct arguments arguments;
    va_copy(arguments.list, list);
    int error = format ? 0 : PvmBadParam;
    pvmd_link_try(caller->task);
    turns_use(&caller->task->turns, caller, TURNS_RECEIVE);
    if (format && !buffer_active_id(&caller->receive))
        error = PvmNoBuf;
    if (error == 0)
        error = format_run(format, &arguments, format_unpack);
    va_end(arguments.list);
    return task_result(caller->task, "pvm_unpackf", error);
}
