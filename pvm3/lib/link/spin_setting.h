/*
 * spin_setting.h - for how long do waiting threads of this task look before they sleep? What
 * PVM_SPIN says, and how many processors there are.
 */
#ifndef LIB_LINK_SPIN_SETTING_H
#define LIB_LINK_SPIN_SETTING_H

#include "lib/task/task.h"

/*
 * Once in each life of a task, when no thread waits yet. A value that makes no sense is reported on
 * stderr.
 */
void spin_setting_read(struct task *task);

#endif
