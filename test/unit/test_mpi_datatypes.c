/* test_mpi_datatypes.c - datatypes against a model that lists each byte of an element, and what is special. */
#include "mpi/datatypes/choose.h"
#include "mpi/datatypes/datatype.h"
#include "mpi/datatypes/external.h"
#include "mpi/datatypes/make.h"
#include "mpi/datatypes/recipe.h"
#include "unit.h"

enum { MOST_BYTES = 4096, TRIALS = 3000, DEPTH = 4, MIDDLE = 1 << 19, MEMORY = 1 << 20 };

/* An element: where each byte of its packed stream is, and its bounds. */
struct model {
    MPI_Count at[MOST_BYTES];
    MPI_Count size, lb, ub, alignment, elements;
    bool marked, begun;
};

static unsigned seed = 1;

static MPI_Count any(MPI_Count least, MPI_Count most)
{
    seed = seed * 1103515245u + 12345u;
    return least + (MPI_Count)(seed >> 16) % (most - least + 1);
}

static void model_basic(struct model *model, MPI_Datatype handle)
{
    const struct datatype *type = datatype_of(handle);

    memset(model, 0, sizeof *model);
    for (MPI_Count i = 0; i < type->size; i++)
        model->at[i] = i;
    model->size = type->size;
    model->ub = type->extent;
    model->alignment = type->alignment;
    model->elements = handle == MPI_DOUBLE_INT ? 2 : 1;
}

/* Adds one more element of another type to a model. */
static void model_add(struct model *model, const struct model *part, MPI_Count at)
{
    assert_true(model->size + part->size <= MOST_BYTES);
    for (MPI_Count i = 0; i < part->size; i++)
        model->at[model->size++] = at + part->at[i];
    if (!model->begun || at + part->lb < model->lb)
        model->lb = at + part->lb;
    if (!model->begun || at + part->ub > model->ub)
        model->ub = at + part->ub;
    model->begun = true;
    model->marked = model->marked || part->marked;
    model->elements += part->elements;
    if (part->alignment > model->alignment)
        model->alignment = part->alignment;
}

static void model_row(struct model *model, const struct model *part, MPI_Count at, MPI_Count count)
{
    for (MPI_Count i = 0; i < count; i++)
        model_add(model, part, at + i * (part->ub - part->lb));
}

static struct datatype *make(int combiner, const MPI_Count *values, MPI_Count count,
                             struct datatype *const *types, MPI_Count types_count)
{
    struct datatype *made;

    assert_int_equal(datatype_make(combiner, false, values, count, types, types_count, &made), 0);
    return made;
}

/* One random constructor, for the datatype and for the model. */
static struct datatype *wrap(struct datatype *type, struct model *model)
{
    static const int combiners[] = {
        MPI_COMBINER_DUP,           MPI_COMBINER_CONTIGUOUS,     MPI_COMBINER_VECTOR,
        MPI_COMBINER_HVECTOR,       MPI_COMBINER_INDEXED,        MPI_COMBINER_HINDEXED,
        MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK, MPI_COMBINER_STRUCT,
        MPI_COMBINER_RESIZED,       MPI_COMBINER_SUBARRAY};
    int combiner = combiners[any(0, COUNT_OF(combiners) - 1)];
    static struct model result;
    MPI_Count v[16], n = any(0, 3), extent = model->ub - model->lb, unit = 1;
    struct datatype *types[4] = {type, type, type, type};

    memset(&result, 0, sizeof result);
    v[0] = n;
    switch (combiner) {
    case MPI_COMBINER_DUP:
        result = *model;
        return make(combiner, NULL, 0, types, 1);
    case MPI_COMBINER_CONTIGUOUS:
        model_row(&result, model, 0, n);
        *model = result;
        return make(combiner, v, 1, types, 1);
    case MPI_COMBINER_VECTOR:
        unit = extent;
        __attribute__((fallthrough));
    case MPI_COMBINER_HVECTOR:
        v[1] = any(0, 3);
        v[2] = any(-20, 20);
        for (MPI_Count i = 0; i < n; i++)
            model_row(&result, model, i * v[2] * unit, v[1]);
        *model = result;
        return make(combiner, v, 3, types, 1);
    case MPI_COMBINER_INDEXED:
        unit = extent;
        __attribute__((fallthrough));
    case MPI_COMBINER_HINDEXED:
    case MPI_COMBINER_STRUCT:
        for (MPI_Count i = 0; i < n; i++) {
            v[1 + i] = any(0, 3);
            v[1 + n + i] = any(-20, 20);
            model_row(&result, model, v[1 + n + i] * unit, v[1 + i]);
        }
        if (combiner == MPI_COMBINER_STRUCT && result.alignment && !result.marked)
            while ((result.ub - result.lb) % result.alignment)
                result.ub++;
        *model = result;
        return make(combiner, v, 1 + 2 * n, types, combiner == MPI_COMBINER_STRUCT ? n : 1);
    case MPI_COMBINER_INDEXED_BLOCK:
        unit = extent;
        __attribute__((fallthrough));
    case MPI_COMBINER_HINDEXED_BLOCK:
        v[1] = any(0, 3);
        for (MPI_Count i = 0; i < n; i++) {
            v[2 + i] = any(-20, 20);
            model_row(&result, model, v[2 + i] * unit, v[1]);
        }
        *model = result;
        return make(combiner, v, 2 + n, types, 1);
    case MPI_COMBINER_RESIZED:
        v[0] = any(-8, 8);
        v[1] = any(0, 40);
        model->lb = v[0];
        model->ub = v[0] + v[1];
        model->marked = true;
        return make(combiner, v, 2, types, 1);
    default: { /* a part of 3 x 4 elements, from an array whose last dimension lies together */
        const MPI_Count array[] = {2, 3, 4, 2, 1, any(0, 1), any(0, 3), MPI_ORDER_C};

        for (MPI_Count i = 0; i < 2; i++)
            model_add(&result, model, ((array[5] + i) * 4 + array[6]) * extent);
        result.lb = 0;
        result.ub = 12 * extent;
        result.marked = true;
        *model = result;
        return make(combiner, array, 8, types, 1);
    }
    }
}

static char memory[MEMORY], other[MEMORY], stream[8 * MOST_BYTES], expected[8 * MOST_BYTES];

static void check_bounds(const struct datatype *type, const struct model *model)
{
    MPI_Count low = model->size ? model->at[0] : 0, high = model->size ? model->at[0] + 1 : 0;

    for (MPI_Count i = 0; i < model->size; i++) {
        low = model->at[i] < low ? model->at[i] : low;
        high = model->at[i] + 1 > high ? model->at[i] + 1 : high;
    }
    assert_int_equal(type->size, model->size);
    assert_int_equal(type->lb, model->lb);
    assert_int_equal(type->extent, model->ub - model->lb);
    assert_int_equal(type->true_lb, low);
    assert_int_equal(type->true_extent, high - low);
    assert_int_equal(datatype_elements(type, model->size), model->elements);
}

static void check_bytes(const struct datatype *type, const struct model *model)
{
    MPI_Count count = any(1, 3), all = count * model->size, done = 0;

    for (MPI_Count i = 0; i < all; i++)
        expected[i] =
            memory[MIDDLE + i / model->size * (model->ub - model->lb) + model->at[i % model->size]];
    while (done < all) {
        size_t part = (size_t)any(1, 40);
        size_t packed = datatype_pack(type, memory + MIDDLE, count, (size_t)done, stream, part);

        assert_true(packed ==
                    (size_t)(all - done < (MPI_Count)part ? all - done : (MPI_Count)part));
        assert_memory_equal(stream, expected + done, packed);
        datatype_unpack(type, other + MIDDLE, count, (size_t)done, stream, packed);
        done += (MPI_Count)packed;
    }
    assert_int_equal(datatype_pack(type, memory + MIDDLE, count, (size_t)all, stream, 1), 0);
    for (MPI_Count i = 0; i < all; i++) {
        MPI_Count at =
            MIDDLE + i / model->size * (model->ub - model->lb) + model->at[i % model->size];

        assert_int_equal(other[at], memory[at]);
    }
}

UNIT_TEST(any_datatype_is_the_bytes_of_its_map)
{
    static const MPI_Datatype basics[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE, MPI_DOUBLE_INT};
    static struct model model;

    for (size_t i = 0; i < MEMORY; i++)
        memory[i] = (char)any(0, 255);
    for (int trial = 0; trial < TRIALS; trial++) {
        MPI_Datatype basic = basics[any(0, COUNT_OF(basics) - 1)];
        struct datatype *type = datatype_of(basic), *made;

        model_basic(&model, basic);
        for (MPI_Count depth = any(0, DEPTH); depth > 0 && model.size < MOST_BYTES / 16; depth--) {
            made = wrap(type, &model);
            datatype_drop(type);
            type = made;
        }
        check_bounds(type, &model);
        memset(other, 0, sizeof other);
        check_bytes(type, &model);
        datatype_drop(type);
    }
}

UNIT_TEST(a_distributed_array_gives_each_element_to_one_process)
{
    static const MPI_Count distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    struct datatype *number = datatype_of(MPI_INT), *made;
    int array[5 * 7], owner[5 * 7];

    for (int way = 0; way < 8; way++) {
        memset(owner, 0, sizeof owner);
        for (MPI_Count rank = 0; rank < 6; rank++) {
            MPI_Count argument = way & 4 ? 3 : MPI_DISTRIBUTE_DFLT_DARG;
            const MPI_Count v[] = {6,
                                   rank,
                                   2,
                                   5,
                                   7,
                                   distributions[way & 1],
                                   distributions[way >> 1 & 1],
                                   argument,
                                   argument,
                                   2,
                                   3,
                                   way & 1 ? MPI_ORDER_FORTRAN : MPI_ORDER_C};
            int one[5 * 7];

            made = make(MPI_COMBINER_DARRAY, v, 12, &number, 1);
            assert_int_equal(made->extent, sizeof array);
            memset(array, 0, sizeof array);
            for (size_t i = 0; i < COUNT_OF(one); i++)
                one[i] = 1;
            datatype_unpack(made, array, 1, 0, one, (size_t)made->size);
            for (size_t i = 0; i < COUNT_OF(array); i++)
                owner[i] += array[i];
            datatype_drop(made);
        }
        for (size_t i = 0; i < COUNT_OF(owner); i++)
            assert_int_equal(owner[i], 1);
    }
}

UNIT_TEST(a_block_is_known_and_so_are_elements)
{
    struct datatype *number = datatype_of(MPI_INT), *row, *column;
    const MPI_Count three[] = {3}, vector[] = {3, 1, 2};

    row = make(MPI_COMBINER_CONTIGUOUS, three, 1, &number, 1);
    column = make(MPI_COMBINER_VECTOR, vector, 3, &number, 1);
    assert_true(datatype_is_block(row));
    assert_false(datatype_is_block(column));
    assert_int_equal(datatype_count(row, 24), 2);
    assert_int_equal(datatype_count(row, 16), MPI_UNDEFINED);
    assert_int_equal(datatype_elements(row, 16), 4);
    assert_int_equal(datatype_elements(row, 15), MPI_UNDEFINED);
    assert_int_equal(datatype_elements(datatype_of(MPI_DOUBLE_INT), 20), 3);
    assert_int_equal(datatype_elements(datatype_of(MPI_DOUBLE_INT), 22), MPI_UNDEFINED);
    datatype_drop(row);
    datatype_drop(column);
}

UNIT_TEST(arguments_that_cannot_be_are_errors)
{
    struct datatype *number = datatype_of(MPI_INT), *made;
    const MPI_Count negative[] = {-1, 1, 1}, length[] = {1, -1, 1};
    const MPI_Count outside[] = {1, 4, 3, 2, MPI_ORDER_C};

    assert_int_equal(datatype_make(MPI_COMBINER_VECTOR, false, negative, 3, &number, 1, &made),
                     MPI_ERR_COUNT);
    assert_int_equal(datatype_make(MPI_COMBINER_VECTOR, false, length, 3, &number, 1, &made),
                     MPI_ERR_ARG);
    assert_int_equal(datatype_make(MPI_COMBINER_SUBARRAY, false, outside, 5, &number, 1, &made),
                     MPI_ERR_ARG);
}

UNIT_TEST(handles_that_are_none_have_no_datatype)
{
    int nothing[8] = {0};

    assert_null(datatype_of(MPI_DATATYPE_NULL));
    assert_null(datatype_of((MPI_Datatype)1));
    assert_null(datatype_of((MPI_Datatype)0x2ff));
    assert_null(datatype_of((MPI_Datatype)nothing));
    for (int i = 0; i < 0x100; i++) {
        struct datatype *type = datatype_of((MPI_Datatype)(uintptr_t)(0x200 + i));

        assert_true(!type || datatype_handle(type) == (MPI_Datatype)(uintptr_t)(0x200 + i));
    }
}

UNIT_TEST(external32_is_big_endian_and_comes_back)
{
    const int numbers[] = {1, -2, 0x12345678};
    const long double wide = 1.5L;
    char bytes[16] = {0};
    int back[3];
    long double wide_back;

    assert_int_equal(external_size(datatype_of(MPI_INT), 3), 12);
    assert_int_equal(external_size(datatype_of(MPI_LONG_DOUBLE), 2), 32);
    external_pack(datatype_of(MPI_INT), numbers, 3, bytes);
    assert_memory_equal(bytes, "\0\0\0\1\377\377\377\376\x12\x34\x56\x78", 12);
    external_unpack(datatype_of(MPI_INT), back, 3, bytes);
    assert_memory_equal(back, numbers, sizeof numbers);
    external_pack(datatype_of(MPI_LONG_DOUBLE), &wide, 1, bytes);
    assert_memory_equal(bytes, "\x3f\xff\x80\0", 4);
    external_unpack(datatype_of(MPI_LONG_DOUBLE), &wide_back, 1, bytes);
    assert_true(wide == wide_back);
}

UNIT_TEST(external32_has_longs_of_four_bytes)
{
    const long numbers[] = {-3, 4};
    long back[2];
    char bytes[8];

    assert_int_equal(external_size(datatype_of(MPI_LONG), 2), 8);
    assert_int_equal(external_size(datatype_of(MPI_UNSIGNED_LONG), 2), 8);
    external_pack(datatype_of(MPI_LONG), numbers, 2, bytes);
    assert_memory_equal(bytes, "\377\377\377\375\0\0\0\4", 8);
    external_unpack(datatype_of(MPI_LONG), back, 2, bytes);
    assert_memory_equal(back, numbers, sizeof numbers);
}

UNIT_TEST(numbers_are_chosen_by_size_and_precision)
{
    MPI_Datatype chosen, same;

    assert_int_equal(choose_by_size(MPI_TYPECLASS_REAL, 8, &chosen), MPI_SUCCESS);
    assert_true(chosen == MPI_REAL8);
    assert_int_equal(choose_by_size(MPI_TYPECLASS_REAL, 5, &chosen), MPI_ERR_ARG);
    assert_int_equal(choose_by_precision(MPI_COMBINER_F90_REAL, 10, 100, &chosen), MPI_SUCCESS);
    assert_int_equal(datatype_of(chosen)->size, 8);
    assert_int_equal(choose_by_precision(MPI_COMBINER_F90_REAL, 10, 100, &same), MPI_SUCCESS);
    assert_true(chosen == same);
    assert_int_equal(choose_by_precision(MPI_COMBINER_F90_INTEGER, 0, 99, &chosen), MPI_ERR_ARG);
    assert_int_equal(choose_by_precision(MPI_COMBINER_F90_REAL, MPI_UNDEFINED, 30, &chosen),
                     MPI_SUCCESS);
    assert_int_equal(datatype_of(chosen)->recipe->values[0], MPI_UNDEFINED);
    assert_int_equal(choose_by_precision(MPI_COMBINER_F90_REAL, -1, 30, &chosen), MPI_ERR_ARG);
    choose_pair(MPI_DOUBLE, MPI_INT, &chosen);
    assert_true(chosen == MPI_DOUBLE_INT);
}
