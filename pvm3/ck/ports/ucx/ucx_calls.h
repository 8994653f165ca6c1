/*
 * ucx_calls.h - the functions of UCX that the port uses. libucp is loaded when a process first
 * needs it, so that nothing depends on it that does not use it.
 */
#ifndef CK_PORTS_UCX_UCX_CALLS_H
#define CK_PORTS_UCX_UCX_CALLS_H

#include <ucp/api/ucp.h>

#define UCX_CALLS(CALL)                                                                            \
    CALL(config_read)                                                                              \
    CALL(config_modify)                                                                            \
    CALL(config_release)                                                                           \
    CALL(init_version)                                                                             \
    CALL(cleanup)                                                                                  \
    CALL(worker_create)                                                                            \
    CALL(worker_destroy)                                                                           \
    CALL(worker_get_address)                                                                       \
    CALL(worker_release_address)                                                                   \
    CALL(worker_get_efd)                                                                           \
    CALL(worker_arm)                                                                               \
    CALL(worker_progress)                                                                          \
    CALL(worker_set_am_recv_handler)                                                               \
    CALL(ep_create)                                                                                \
    CALL(ep_close_nbx)                                                                             \
    CALL(am_send_nbx)                                                                              \
    CALL(am_data_release)                                                                          \
    CALL(request_free)

struct ucx_calls {
#define UCX_MEMBER(name) __typeof__(&ucp_##name) name;
    UCX_CALLS(UCX_MEMBER)
#undef UCX_MEMBER
};

/*
 * Loads the library, which stays. NULL, or in words why it cannot be used. The threads of a process
 * come here one at a time.
 */
const char *ucx_calls_load(struct ucx_calls *calls);

#endif
