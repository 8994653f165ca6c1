/* own_threads.h - before a program that "many" loads: a thread belongs to its maker's task. */
#ifndef TEST_OWN_THREADS_H
#define TEST_OWN_THREADS_H

#include <pthread.h>

#include "tasks.h"

#define pthread_create tasks_thread

#endif
