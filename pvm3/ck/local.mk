# ck: the Communication Kernel - moves messages, knows no PVM call.
noinst_LTLIBRARIES += libck.la
libck_la_SOURCES = \
	pvm3/ck/peers/address.h \
	pvm3/ck/base/cancel.h \
	pvm3/ck/peers/dialect.h \
	pvm3/ck/base/descriptor.h \
	pvm3/ck/base/fiber.c pvm3/ck/base/fiber.h \
	pvm3/ck/base/fiber_self.c pvm3/ck/base/fiber_self.h \
	pvm3/ck/base/fiber_switch.c pvm3/ck/base/fiber_switch.h \
	pvm3/ck/endpoint/directory.c pvm3/ck/endpoint/directory.h \
	pvm3/ck/base/doorbell.c pvm3/ck/base/doorbell.h \
	pvm3/ck/endpoint/endpoint.c pvm3/ck/endpoint/endpoint.h \
	pvm3/ck/engine.c pvm3/ck/endpoint/engine.h \
	pvm3/ck/requests/examine.c pvm3/ck/requests/examine.h \
	pvm3/ck/endpoint/failure.c \
	pvm3/ck/peers/host_message.c pvm3/ck/peers/host_message.h \
	pvm3/ck/endpoint/handed.c pvm3/ck/endpoint/handed.h \
	pvm3/ck/inbox/hopeless.c pvm3/ck/inbox/hopeless.h \
	pvm3/ck/inbox/inbox.c pvm3/ck/inbox/inbox.h \
	pvm3/ck/life.c \
	pvm3/ck/retire.c \
	pvm3/ck/inbox/loan.h \
	pvm3/ck/base/lock.c pvm3/ck/base/lock.h \
	pvm3/ck/base/owned_lock.c pvm3/ck/base/owned_lock.h \
	pvm3/ck/endpoint/order.c pvm3/ck/endpoint/order.h \
	pvm3/ck/requests/at_once.c \
	pvm3/ck/requests/outbox.c \
	pvm3/ck/peers/outgoing.h \
	pvm3/ck/peers/peer.c pvm3/ck/peers/peer.h \
	pvm3/ck/endpoint/port.h \
	pvm3/ck/endpoint/post.c \
	pvm3/ck/requests/receipt.c \
	pvm3/ck/requests/receive.c \
	pvm3/ck/requests/request.c pvm3/ck/requests/request.h \
	pvm3/ck/base/result.h \
	pvm3/ck/base/sleep_at.c pvm3/ck/base/sleep_at.h \
	pvm3/ck/base/sleepers.c pvm3/ck/base/sleepers.h \
	pvm3/ck/base/stamp.c pvm3/ck/base/stamp.h \
	pvm3/ck/endpoint/taken.c pvm3/ck/endpoint/taken.h \
	pvm3/ck/base/users.h \
	pvm3/ck/base/whole.h \
	pvm3/ck/wait/carriers.c pvm3/ck/wait/carriers.h \
	pvm3/ck/wait/leader.h pvm3/ck/wait/leader_sleep.c pvm3/ck/wait/look_on.c \
	pvm3/ck/wait/wait.c pvm3/ck/wait/wait.h \
	pvm3/ck/wait/wait_descriptor.c pvm3/ck/wait/wait_descriptor.h \
	pvm3/ck/peers/way.h \
	pvm3/ck/ports/list.c pvm3/ck/ports/list.h \
	pvm3/ck/ports/self/self.c pvm3/ck/ports/self/self.h \
	pvm3/ck/ports/shm/arena.c pvm3/ck/ports/shm/arena.h \
	pvm3/ck/ports/shm/rendezvous.c pvm3/ck/ports/shm/rendezvous.h \
	pvm3/ck/ports/shm/ring.c pvm3/ck/ports/shm/ring.h \
	pvm3/ck/ports/shm/shm.c pvm3/ck/ports/shm/shm.h \
	pvm3/ck/ports/shm/shm_gate.c pvm3/ck/ports/shm/shm_gate.h \
	pvm3/ck/ports/shm/shm_in.c \
	pvm3/ck/ports/shm/shm_late.c \
	pvm3/ck/ports/shm/shm_link.c \
	pvm3/ck/ports/shm/shm_ahead.c \
	pvm3/ck/ports/shm/shm_load.c \
	pvm3/ck/ports/shm/shm_look.c \
	pvm3/ck/ports/shm/shm_meet.c \
	pvm3/ck/ports/shm/shm_order.c \
	pvm3/ck/ports/shm/shm_out.c \
	pvm3/ck/ports/shm/shm_rendezvous.c \
	pvm3/ck/ports/shm/shm_retire.c \
	pvm3/ck/ports/shm/shm_socket.c pvm3/ck/ports/shm/shm_socket.h \
	pvm3/ck/ports/shm/shm_piece.c \
	pvm3/ck/ports/shm/shm_tie.c \
	pvm3/ck/ports/stream/direct.c pvm3/ck/ports/stream/direct.h \
	pvm3/ck/ports/stream/line.c pvm3/ck/ports/stream/line.h \
	pvm3/ck/ports/stream/route.c pvm3/ck/ports/stream/route.h \
	pvm3/ck/ports/stream/stream.c pvm3/ck/ports/stream/stream.h \
	pvm3/ck/ports/stream/stream_port.c pvm3/ck/ports/stream/stream_port.h
if HAVE_UCX
libck_la_SOURCES += \
	pvm3/ck/ports/ucx/ucx.c pvm3/ck/ports/ucx/ucx.h \
	pvm3/ck/ports/ucx/ucx_calls.c pvm3/ck/ports/ucx/ucx_calls.h \
	pvm3/ck/ports/ucx/ucx_link.c pvm3/ck/ports/ucx/ucx_link.h \
	pvm3/ck/ports/ucx/ucx_meet.c pvm3/ck/ports/ucx/ucx_meet.h \
	pvm3/ck/ports/ucx/ucx_network.c pvm3/ck/ports/ucx/ucx_network.h \
	pvm3/ck/ports/ucx/ucx_take.c pvm3/ck/ports/ucx/ucx_take.h
endif
