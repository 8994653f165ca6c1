/*
 * blocks.cc - the only file in C++, since the allocator is made of templates. pvmulp does not need
 * the library of C++ for it: nothing that is used here throws.
 */
#ifndef PVM_DEBUG
#define NDEBUG /* the allocator does not check itself */
#endif
#include "ulp/blocks.h"

#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>

#include <new>

namespace bi = boost::interprocess;

using allocator = bi::rbtree_best_fit<bi::null_mutex_family, void *>;

static_assert(allocator::Alignment == BLOCKS_UNIT, "the unit of sizes");
static_assert(allocator::PayloadPerAllocation == BLOCKS_OVERHEAD, "what a block costs");

/*
 * Compilers that do not optimize name this function of the library of C++, by which exceptions pass
 * through a function. None passes here. 8 says that there is nothing to be done.
 */
extern "C" int __gxx_personality_v0(...)
{
    return 8;
}

static allocator *of(blocks *blocks)
{
    return reinterpret_cast<allocator *>(blocks);
}

blocks *blocks_begin(void *memory, size_t size)
{
    return reinterpret_cast<blocks *>(::new (memory) allocator(size, 0));
}

void blocks_grow(blocks *blocks, size_t more)
{
    of(blocks)->grow(more);
}

void *blocks_take(blocks *blocks, size_t size, size_t alignment)
{
    if (alignment > BLOCKS_UNIT)
        return of(blocks)->allocate_aligned(size, alignment);
    return of(blocks)->allocate(size);
}

bool blocks_resize(blocks *blocks, void *block, size_t size)
{
    bool grows = size > of(blocks)->size(block);
    size_t wanted = size;
    char *place = static_cast<char *>(block);
    return of(blocks)->allocation_command<char>((grows ? bi::expand_fwd : bi::shrink_in_place) |
                                                    bi::nothrow_allocation,
                                                size, wanted, place);
}

void blocks_give_back(blocks *blocks, void *block)
{
    of(blocks)->deallocate(block);
}

size_t blocks_size(const blocks *blocks, const void *block)
{
    return reinterpret_cast<const allocator *>(blocks)->size(block);
}
