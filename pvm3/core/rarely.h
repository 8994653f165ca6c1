/*
 * rarely.h - marks functions that hardly any message needs.
 *
 * What every message passes are a few short functions, each of which has exceptions. A function
 * that is marked RARELY stays one, and the compiler keeps the call out of the way: its caller saves
 * no registers for it, and the code that is used often lies together.
 */
#ifndef CORE_RARELY_H
#define CORE_RARELY_H

#define RARELY __attribute__((cold, noinline))

#endif
