/* test_match.c - which of the messages that have arrived does a receive get? */
#include "core/match.h"

#include <pvm3.h>

#include "core/tid.h"

#include "shortage.h"
#include "unit.h"

static struct match_queue queue;

static int start(void **state)
{
    (void)state;
    match_queue_start(&queue);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    match_queue_finish(&queue);
    return 0;
}

static struct message *add(uint32_t source, int32_t tag, int32_t context, int32_t wait)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message->header.source = source;
    message->header.tag = tag;
    message->header.context = context;
    message->header.wait = wait;
    assert_int_equal(match_queue_add(&queue, message), 0);
    return message;
}

static struct message *find(uint32_t source, int32_t tag, int32_t context)
{
    return match_queue_find(&queue, &(struct pattern){source, tag, context, 0});
}

static void drop(struct message *message)
{
    match_queue_remove(&queue, message);
    message_free(message);
}

static void pattern_compares_each_field(void **state)
{
    (void)state;
    const struct message_header header = {.source = 7, .tag = 8, .context = 9, .wait = 10};
    const struct {
        struct pattern pattern;
        bool matches;
    } cases[] = {
        {{7, 8, 9, 10}, true},
        {{7, 8, 9, 0}, true},
        {{TID_ANY, 8, 9, 0}, true},
        {{7, PATTERN_ANY, 9, 0}, true},
        {{7, 8, PATTERN_ANY, 0}, true},
        {{TID_ANY, PATTERN_ANY, PATTERN_ANY, 0}, true},
        {{6, 8, 9, 0}, false},
        {{7, 9, 9, 0}, false},
        {{7, 8, 8, 0}, false},
        {{7, 8, 9, 11}, false},
        {{TID_ANY, PATTERN_ANY, PATTERN_ANY, -1}, false},
        {{0, 8, 9, 0}, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(pattern_matches(&cases[i].pattern, &header), cases[i].matches);
}

static void empty_queue_gives_nothing(void **state)
{
    (void)state;
    assert_null(find(1, 2, 3));
    assert_null(find(TID_ANY, PATTERN_ANY, PATTERN_ANY));
    drop(add(1, 2, 3, 0));
    assert_null(find(1, 2, 3));
    assert_null(find(TID_ANY, PATTERN_ANY, PATTERN_ANY));
    assert_int_equal(queue.count, 0);
}

static void first_to_arrive_wins(void **state)
{
    (void)state;
    struct message *first = add(1, 5, 0, 0);
    struct message *second = add(1, 5, 0, 0);
    struct message *other = add(2, 5, 0, 0);
    assert_ptr_equal(find(1, 5, 0), first);
    assert_ptr_equal(find(TID_ANY, 5, 0), first);
    assert_ptr_equal(find(2, PATTERN_ANY, 0), other);
    drop(first);
    assert_ptr_equal(find(1, 5, 0), second);
    assert_ptr_equal(find(TID_ANY, PATTERN_ANY, PATTERN_ANY), second);
    drop(second);
    assert_ptr_equal(find(TID_ANY, 5, PATTERN_ANY), other);
    assert_null(find(1, 5, 0));
}

static void contexts_do_not_mix(void **state)
{
    (void)state;
    struct message *base = add(1, 5, 0, 0);
    struct message *own = add(1, 5, 0x40001, 0);
    assert_ptr_equal(find(1, 5, 0x40001), own);
    assert_ptr_equal(find(1, 5, 0), base);
    assert_ptr_equal(find(1, 5, PATTERN_ANY), base);
    assert_null(find(1, 5, 0x40002));
}

static void answer_is_found_by_its_wait_id(void **state)
{
    (void)state;
    add(TID_OWN_DAEMON, 5, 0, 1);
    struct message *second = add(TID_OWN_DAEMON, 5, 0, 2);
    assert_ptr_equal(match_queue_find(&queue, &(struct pattern){TID_OWN_DAEMON, 5, 0, 2}), second);
    assert_null(match_queue_find(&queue, &(struct pattern){TID_OWN_DAEMON, 5, 0, 3}));
}

static void added_message_may_have_been_in_other_lists(void **state)
{
    (void)state;
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message->next = message->previous = message->bucket_next = message->bucket_previous = message;
    assert_int_equal(match_queue_add(&queue, message), 0);
    assert_null(find(0, 99, 0));
    assert_null(find(TID_ANY, 99, 0));
    add(1, 1, 1, 0);
    match_queue_remove(&queue, message);
    assert_null(message->next);
    assert_null(message->previous);
    assert_null(message->bucket_next);
    assert_null(message->bucket_previous);
    message_free(message);
    assert_int_equal(queue.count, 1);
}

/* A list and no cleverness: what the queue must do. */
enum { MODEL_MAX = 400 };
static struct message *model[MODEL_MAX];
static size_t model_count;

static struct message *model_find(const struct pattern *pattern)
{
    for (size_t i = 0; i < model_count; i++)
        if (pattern_matches(pattern, &model[i]->header))
            return model[i];
    return NULL;
}

static void model_remove(const struct message *message)
{
    size_t i = 0;
    while (model[i] != message)
        i++;
    memmove(&model[i], &model[i + 1], (--model_count - i) * sizeof model[0]);
}

static void queue_equals_a_plain_list(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int i = 0; i < 40000; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t bits = seed >> 8;
        bool growing = i / 1000 % 2 == 0;
        if (model_count < MODEL_MAX && bits % 4 < (growing ? 3 : 1)) {
            model[model_count++] = add(bits >> 2 & 7, bits >> 5 & 3, bits >> 7 & 3, 0);
            continue;
        }
        struct pattern pattern = {(bits >> 2 & 15) < 8 ? bits >> 2 & 7 : TID_ANY,
                                  (int32_t)(bits >> 6 & 3), (int32_t)(bits >> 8 & 3), 0};
        pattern.tag = bits >> 10 & 1 ? pattern.tag : PATTERN_ANY;
        pattern.context = bits >> 11 & 3 ? pattern.context : PATTERN_ANY;
        struct message *found = match_queue_find(&queue, &pattern);
        assert_ptr_equal(found, model_find(&pattern));
        if (found) {
            model_remove(found);
            drop(found);
        }
        assert_int_equal(queue.count, model_count);
    }
}

/* A message in the middle leaves its neighbours joined, in both lists and in both directions. */
static void any_message_may_leave_first(void **state)
{
    (void)state;
    for (size_t leaving = 0; leaving < 5; leaving++) {
        struct message *messages[5];
        for (int32_t i = 0; i < 5; i++)
            messages[i] = add(1, i, 0, 0);
        drop(messages[leaving]);
        for (int32_t i = 0; i < 5; i++)
            if (i != (int32_t)leaving) {
                assert_ptr_equal(find(1, PATTERN_ANY, 0), messages[i]);
                assert_ptr_equal(find(TID_ANY, PATTERN_ANY, 0), messages[i]);
                drop(messages[i]);
            }
        assert_null(queue.first);
        assert_null(queue.last);
    }
}

/* Tids differ in few bits; still each receive must look at a few messages only. */
static void sources_spread_over_the_buckets(void **state)
{
    (void)state;
    unsigned long before = shortage_allocations();
    size_t used = 0;
    for (uint32_t i = 0; i < 1024; i++)
        add((1 + i % 8) << TID_HOST_SHIFT | (1 + i / 8), 0, 0, 0);
    assert_in_range(shortage_allocations() - before, 1024, 1024 + 8); /* the table doubles */
    for (size_t i = 0; i < queue.bucket_count; i++)
        used += queue.buckets[i].first != NULL;
    assert_true(used >= queue.bucket_count / 2);
}

static void queued_messages_are_freed_at_the_end(void **state)
{
    (void)state;
    long before = shortage_live();
    for (uint32_t i = 0; i < 100; i++)
        add(i, 0, 0, 0);
    match_queue_finish(&queue);
    assert_int_equal(shortage_live(), before);
    assert_null(find(1, 0, 0));
    add(1, 2, 3, 0);
    assert_non_null(find(1, 2, 3));
}

/* Without memory for a larger table the queue is slower, but as right. */
static void shortage_scenario(void)
{
    struct message messages[80];
    struct match_queue own;
    int refused = 0;
    match_queue_start(&own);
    for (uint32_t i = 0; i < COUNT_OF(messages); i++) {
        message_init(&messages[i], MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
        messages[i].header.source = i % 20;
        int error = match_queue_add(&own, &messages[i]);
        assert_true(error == 0 || (error == PvmNoMem && i == 0));
        refused += error < 0;
    }
    assert_int_equal(own.count, COUNT_OF(messages) - (size_t)refused);
    for (uint32_t i = (uint32_t)refused; i < COUNT_OF(messages); i++) {
        struct message *found =
            match_queue_find(&own, &(struct pattern){i % 20, PATTERN_ANY, 0, 0});
        assert_ptr_equal(found, &messages[i]);
        match_queue_remove(&own, found);
    }
    match_queue_finish(&own);
}

static void shortage_refuses_at_most_the_first(void **state)
{
    (void)state;
    shortage_try_each(shortage_scenario, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pattern_compares_each_field),
        TEST(empty_queue_gives_nothing),
        TEST(first_to_arrive_wins),
        TEST(contexts_do_not_mix),
        TEST(answer_is_found_by_its_wait_id),
        TEST(added_message_may_have_been_in_other_lists),
        TEST(queue_equals_a_plain_list),
        TEST(any_message_may_leave_first),
        TEST(sources_spread_over_the_buckets),
        TEST(queued_messages_are_freed_at_the_end),
        TEST(shortage_refuses_at_most_the_first),
    };
    return cmocka_run_group_tests_name("match", tests, NULL, NULL);
}
