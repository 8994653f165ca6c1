/* test_match.c - which of the messages that have arrived does a receive get? */
#include "core/match.h"

#include "core/tid.h"

#include "shortage.h"
#include "unit.h"

static struct match_queue queue;

UNIT_STEP(start)
{
    match_queue_start(&queue);
    return 0;
}

UNIT_STEP(finish)
{
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
    match_queue_add(&queue, message);
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

#define TEST(name) UNIT_TEST_BETWEEN(name, start, finish)

TEST(pattern_compares_each_field)
{
    const struct message_header header = {.source = 7, .tag = 8, .context = 9, .wait = 10};
    const struct {
        struct pattern pattern;
        bool matches;
    } cases[] = {
        {{7, 8, 9, 10}, true},
        {{7, 8, 9, 0}, true},
        {{PATTERN_ANY_SOURCE, 8, 9, 0}, true},
        {{7, PATTERN_ANY, 9, 0}, true},
        {{7, 8, PATTERN_ANY, 0}, true},
        {{PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, 0}, true},
        {{6, 8, 9, 0}, false},
        {{7, 9, 9, 0}, false},
        {{7, 8, 8, 0}, false},
        {{7, 8, 9, 11}, false},
        {{PATTERN_ANY_SOURCE, PATTERN_ANY, PATTERN_ANY, -1}, false},
        {{0, 8, 9, 0}, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(pattern_matches(&cases[i].pattern, &header), cases[i].matches);
}

TEST(answer_is_found_by_its_wait_id)
{
    add(TID_OWN_DAEMON, 5, 0, 1);
    struct message *second = add(TID_OWN_DAEMON, 5, 0, 2);
    assert_ptr_equal(match_queue_find(&queue, &(struct pattern){TID_OWN_DAEMON, 5, 0, 2}), second);
    assert_null(match_queue_find(&queue, &(struct pattern){TID_OWN_DAEMON, 5, 0, 3}));
}

TEST(added_message_may_have_been_in_other_lists)
{
    struct message *message = message_new(MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
    message->next = message->previous = message;
    match_queue_add(&queue, message);
    assert_null(find(0, 99, 0));
    assert_null(find(PATTERN_ANY_SOURCE, 99, 0));
    add(1, 1, 1, 0);
    match_queue_remove(&queue, message);
    assert_null(message->next);
    assert_null(message->previous);
    message_free(message);
    assert_int_equal(queue.count, 1);
}

/* A pattern of each class, and what it names. */
static const struct pattern of_context = {PATTERN_ANY_SOURCE, PATTERN_ANY, 9, 0};
static const struct pattern of_source = {7, PATTERN_ANY, 9, 0};
static const struct pattern of_tag = {PATTERN_ANY_SOURCE, 8, 9, 0};
static const struct pattern of_both = {7, 8, 9, 0};
static const struct pattern of_any_context = {7, 8, PATTERN_ANY, 0};
static const struct pattern of_answer = {7, 8, 9, 10};

TEST(patterns_have_classes)
{
    assert_int_equal(pattern_class(&of_context), PATTERN_OF_CONTEXT);
    assert_int_equal(pattern_class(&of_source), PATTERN_OF_SOURCE);
    assert_int_equal(pattern_class(&of_tag), PATTERN_OF_TAG);
    assert_int_equal(pattern_class(&of_both), PATTERN_OF_BOTH);
    assert_int_equal(pattern_class(&of_any_context), PATTERN_OF_ANY_CONTEXT);
    assert_int_equal(pattern_class(&of_answer), PATTERN_OF_ANSWER);
}

/* A message has the hash of every pattern that matches it, in the class of that pattern. */
TEST(hash_depends_on_what_is_named)
{
    const struct message_header header = {.source = 7, .tag = 8, .context = 9, .wait = 10};
    const struct pattern whole = pattern_of(&header);
    const struct pattern *const patterns[] = {&of_context, &of_source,      &of_tag,
                                              &of_both,    &of_any_context, &of_answer};
    assert_memory_equal(&whole, &of_answer, sizeof whole);
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        enum pattern_class class = pattern_class(patterns[i]);
        assert_int_equal(pattern_hash(class, patterns[i]), pattern_hash(class, &whole));
    }
    assert_int_not_equal(pattern_hash(PATTERN_OF_BOTH, &whole),
                         pattern_hash(PATTERN_OF_SOURCE, &whole));
    assert_int_not_equal(pattern_hash(PATTERN_OF_BOTH, &whole),
                         pattern_hash(PATTERN_OF_TAG, &whole));
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

TEST(queue_equals_a_plain_list)
{
    uint32_t seed = 1;
    for (int i = 0; i < 40000; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t bits = seed >> 8;
        bool growing = i / 1000 % 2 == 0;
        if (model_count < MODEL_MAX && bits % 4 < (growing ? 3 : 1)) {
            model[model_count++] = add(bits >> 2 & 7, bits >> 5 & 3, bits >> 7 & 3, 0);
            continue;
        }
        struct pattern pattern = {(bits >> 2 & 15) < 8 ? bits >> 2 & 7 : PATTERN_ANY_SOURCE,
                                  (int32_t)(bits >> 6 & 3), (int32_t)(bits >> 8 & 3), 0};
        pattern.tag = bits >> 10 & 1 ? pattern.tag : PATTERN_ANY;
        pattern.context = bits >> 11 & 7 ? pattern.context : PATTERN_ANY;
        struct message *found = match_queue_find(&queue, &pattern);
        assert_ptr_equal(found, model_find(&pattern));
        if (found) {
            model_remove(found);
            drop(found);
        }
        assert_int_equal(queue.count, model_count);
    }
}

/* Tids and tags differ in few bits, of any weight; still few keys share a bucket. */
TEST(keys_spread_over_the_buckets)
{
    for (uint32_t i = 0; i < 1024; i++)
        add((1 + i % 8) << TID_HOST_SHIFT | (1 + i / 8), (int32_t)(i << 16), (int32_t)(i << 19), 0);
    for (int i = 0; i < MATCH_TABLES; i++) {
        const struct pattern key = {i & PATTERN_OF_SOURCE ? 1 : PATTERN_ANY_SOURCE,
                                    i & PATTERN_OF_TAG ? 1 : PATTERN_ANY, 1, 0};
        assert_null(match_queue_find(&queue, &key)); /* makes the table */
        const struct match_table *table = &queue.tables[i];
        size_t used = 0;
        for (size_t j = 0; j < table->bucket_count; j++)
            used += table->buckets[j] != NULL;
        assert_int_equal(table->keys, 1024);
        assert_int_equal(table->bucket_count, 1024);
        assert_true(used >= 1024 / 2);
    }
}

/* Among a hundred thousand others a receive compares as few messages as among none. */
TEST(receive_does_not_pay_for_what_others_sent)
{
    enum { MANY = 100000, KEYS = 1000, FEW = 8 };
    for (uint32_t i = 0; i < MANY; i++)
        add(100 + i % KEYS, (int32_t)(100 + i % KEYS), i % 2 ? 9 : 5, 0);
    const struct pattern patterns[] = {{1, 2, 9, 0},
                                       {1, PATTERN_ANY, 9, 0},
                                       {PATTERN_ANY_SOURCE, 2, 9, 0},
                                       {TID_ANY, PATTERN_ANY, 7, 0}};
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        size_t before = queue.compared;
        assert_null(match_queue_find(&queue, &patterns[i])); /* makes the table, once */
        assert_in_range(queue.compared - before, MANY / 2, FEW * MANY);
        for (int j = 0; j < 100; j++) {
            struct message *wanted = add(1, 2, i == 3 ? 7 : 9, 0);
            before = queue.compared;
            assert_ptr_equal(match_queue_find(&queue, &patterns[i]), wanted);
            assert_in_range(queue.compared - before, 1, FEW);
            before = queue.compared;
            drop(wanted);
            assert_int_equal(queue.compared, before);
        }
    }
    size_t before = queue.compared;
    while (queue.first)
        drop(queue.first);
    assert_int_equal(queue.compared, before);
}

/* Only what a receive of the class passes by enters a table. */
TEST(table_takes_in_what_is_passed_by)
{
    for (int32_t i = 0; i < 20; i++)
        add(1, i, 0, 0);
    unsigned long before = shortage_allocations();
    drop(find(PATTERN_ANY_SOURCE, PATTERN_ANY, 0));
    struct message *first = find(1, 1, 0);
    assert_int_equal(shortage_allocations(), before + 2); /* the buckets of two tables */
    assert_int_equal(queue.tables[PATTERN_OF_CONTEXT].keys, 0);
    assert_int_equal(queue.tables[PATTERN_OF_BOTH].keys, 0);
    assert_ptr_equal(queue.tables[PATTERN_OF_BOTH].rest, first);
    struct message *fifth = find(1, 5, 0);
    assert_int_equal(queue.tables[PATTERN_OF_BOTH].keys, 4);
    assert_ptr_equal(queue.tables[PATTERN_OF_BOTH].rest, fifth);
    drop(first);
    assert_int_equal(queue.tables[PATTERN_OF_BOTH].keys, 3);
    struct message *sixth = fifth->next;
    drop(fifth);
    assert_ptr_equal(queue.tables[PATTERN_OF_BOTH].rest, sixth);
    assert_null(find(1, 99, 0));
    assert_null(queue.tables[PATTERN_OF_BOTH].rest);
    struct message *late = add(1, 99, 0, 0);
    assert_ptr_equal(queue.tables[PATTERN_OF_BOTH].rest, late);
    assert_ptr_equal(find(1, 99, 0), late);
    assert_ptr_equal(find(1, 4, 0), sixth->previous);
}

/* Tables are made when they are asked for, grow with the keys, and shrink with them. */
TEST(memory_of_the_tables_is_given_back)
{
    unsigned long before = shortage_allocations();
    for (uint32_t i = 0; i < 4096; i++)
        add(i, (int32_t)i, 0, 0);
    assert_int_equal(shortage_allocations() - before, 4096);
    for (int32_t i = 0; i < 4096; i++) {
        struct message *message = find(PATTERN_ANY_SOURCE, 4095 - i, 0);
        int32_t passed_by = i == 0 ? 4095 : 4096 - i;
        assert_int_equal(queue.tables[PATTERN_OF_TAG].keys, i < 4092 ? passed_by : 0);
        drop(message);
        assert_true(queue.tables[PATTERN_OF_TAG].bucket_count <= 128 || i < 4096 - 128 / 8);
    }
    assert_null(queue.tables[PATTERN_OF_CONTEXT].buckets);
    assert_null(queue.tables[PATTERN_OF_SOURCE].buckets);
    assert_null(queue.tables[PATTERN_OF_BOTH].buckets);
}

/* A queue that grows and shrinks again and again allocates nothing in the steady state. */
TEST(steady_queue_allocates_nothing)
{
    struct message messages[40];
    unsigned long allocations = 0;
    for (int round = 0; round < 10; round++) {
        if (round == 1)
            allocations = shortage_allocations();
        for (uint32_t i = 0; i < COUNT_OF(messages); i++) {
            message_init(&messages[i], MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
            messages[i].header.source = i;
            match_queue_add(&queue, &messages[i]);
        }
        for (uint32_t i = 0; i < COUNT_OF(messages); i++) {
            uint32_t source = (i * 7 + 3) % COUNT_OF(messages);
            assert_ptr_equal(find(source, PATTERN_ANY, 0), &messages[source]);
            match_queue_remove(&queue, &messages[source]);
        }
        assert_int_equal(queue.used, 0);
    }
    assert_int_equal(shortage_allocations(), allocations);
}

TEST(queued_messages_are_freed_at_the_end)
{
    long before = shortage_live();
    for (uint32_t i = 0; i < 100; i++)
        add(i, 0, 0, 0);
    match_queue_finish(&queue);
    assert_int_equal(shortage_live(), before);
    assert_null(find(1, 0, 0));
    add(1, 2, 3, 0);
    assert_non_null(find(1, 2, 3));
}

/* Without memory for a table, or a larger one, the queue is slower, but as right. */
static void shortage_scenario(void)
{
    static struct message messages[200];
    struct match_queue own;
    match_queue_start(&own);
    for (uint32_t i = 0; i < COUNT_OF(messages); i++) {
        message_init(&messages[i], MESSAGE_XDR, MESSAGE_FRAGMENT_DEFAULT);
        messages[i].header.source = i;
        messages[i].header.tag = (int32_t)i;
        match_queue_add(&own, &messages[i]);
    }
    for (uint32_t i = 0; i < COUNT_OF(messages); i++) {
        uint32_t which = (i * 77 + 5) % COUNT_OF(messages);
        const struct pattern pattern = {i % 4 & PATTERN_OF_TAG ? PATTERN_ANY_SOURCE : which,
                                        i % 4 & PATTERN_OF_SOURCE ? PATTERN_ANY : (int32_t)which, 0,
                                        0};
        struct message *found = match_queue_find(&own, &pattern);
        assert_ptr_equal(found, i % 4 == 3 ? own.first : &messages[which]);
        if (found == &messages[which])
            match_queue_remove(&own, found);
    }
    for (uint32_t i = 3; i < COUNT_OF(messages); i += 4) { /* those that were not taken */
        uint32_t which = (i * 77 + 5) % COUNT_OF(messages);
        if (messages[which].next || messages[which].previous || own.first == &messages[which])
            match_queue_remove(&own, &messages[which]);
    }
    assert_int_equal(own.count, 0);
    match_queue_finish(&own);
}

TEST(shortage_makes_it_slower_only)
{
    shortage_try_each(shortage_scenario, 12);
}
