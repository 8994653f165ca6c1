/*
 * error.h - error codes as names and texts. The codes themselves stand in pvm3.h.
 */
#ifndef CORE_ERROR_H
#define CORE_ERROR_H

/*
 * X(minus the code, its name or NULL, its text), written once. Unassigned codes have the text that
 * 3.4.6 prints for them and no name.
 */
#define ERROR_LIST(X)                                                                              \
    X(0, "PvmOk", "Error 0")                                                                       \
    X(1, NULL, "Error 1")                                                                          \
    X(2, "PvmBadParam", "Bad parameter")                                                           \
    X(3, "PvmMismatch", "Parameter mismatch")                                                      \
    X(4, "PvmOverflow", "Value too large")                                                         \
    X(5, "PvmNoData", "End of buffer")                                                             \
    X(6, "PvmNoHost", "No such host")                                                              \
    X(7, "PvmNoFile", "No such file")                                                              \
    X(8, "PvmDenied", "Permission denied")                                                         \
    X(9, NULL, "Error 9")                                                                          \
    X(10, "PvmNoMem", "Malloc failed")                                                             \
    X(11, NULL, "Error 11")                                                                        \
    X(12, "PvmBadMsg", "Can't decode message")                                                     \
    X(13, NULL, "Error 13")                                                                        \
    X(14, "PvmSysErr", "Can't contact local daemon")                                               \
    X(15, "PvmNoBuf", "No current buffer")                                                         \
    X(16, "PvmNoSuchBuf", "No such buffer")                                                        \
    X(17, "PvmNullGroup", "Null group name")                                                       \
    X(18, "PvmDupGroup", "Already in group")                                                       \
    X(19, "PvmNoGroup", "No such group")                                                           \
    X(20, "PvmNotInGroup", "Not in group")                                                         \
    X(21, "PvmNoInst", "No such instance")                                                         \
    X(22, "PvmHostFail", "Host failed")                                                            \
    X(23, "PvmNoParent", "No parent task")                                                         \
    X(24, "PvmNotImpl", "Not implemented")                                                         \
    X(25, "PvmDSysErr", "Pvmd system error")                                                       \
    X(26, "PvmBadVersion", "Version mismatch")                                                     \
    X(27, "PvmOutOfRes", "Out of resources")                                                       \
    X(28, "PvmDupHost", "Duplicate host")                                                          \
    X(29, "PvmCantStart", "Can't start pvmd")                                                      \
    X(30, "PvmAlready", "Already in progress")                                                     \
    X(31, "PvmNoTask", "No such task")                                                             \
    X(32, "PvmNotFound", "Not Found")                                                              \
    X(33, "PvmExists", "Already Exists")                                                           \
    X(34, "PvmHostrNMstr", "Hoster must run on master host")                                       \
    X(35, "PvmParentNotSet", "Spawning parent set PvmNoParent")                                    \
    X(36, "PvmIPLoopback", "Master Host IP Address is Loopback! (See pvm3/Readme)")

/* Entries of the table of texts: codes 0 to -(ERROR_COUNT - 1). */
#define ERROR_COUNT 37

/*
 * The text of `code` (0 or negative); "Unknown Error" outside the table. Never NULL, never to be
 * freed.
 */
const char *error_text(int code);

/*
 * The symbolic name, as start results on the wire carry it ("PvmNoHost"); NULL when `code` has
 * none.
 */
const char *error_name(int code);

/* The code whose symbolic name is `name`, or 0 when no code has it. */
int error_code(const char *name);

/*
 * What to say behind the text of an errno: how to get more descriptors when they have run out, in
 * parentheses behind a space; otherwise empty.
 */
const char *error_remedy(int number);

#endif
