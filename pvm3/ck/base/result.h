/*
 * result.h - why a function of the kernel failed.
 *
 * Negative results are of these; what a function of the owner has returned (endpoint_probe) is
 * passed on as it is, and stays above CK_RESULTS.
 */
#ifndef CK_BASE_RESULT_H
#define CK_BASE_RESULT_H

enum ck_result {
    CK_LOST = -1007, /* the peer or daemon is gone, or the endpoint is being closed */
    CK_NO_MEMORY,
    CK_PEER_OVER, /* the task that was to answer is over */
    CK_NONSENSE,  /* what came has no known form */
    CK_NOT_FOUND, /* there is none */
    CK_CANCELLED, /* the caller did not want it any more */
    CK_RECALLED,  /* its owner has called the thread back (endpoint_recall) */
    CK_RESULTS    /* all are below */
};

#endif
