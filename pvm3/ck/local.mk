# ck: the Communication Kernel - moves messages, knows no PVM call.
noinst_LTLIBRARIES += libck.la
libck_la_SOURCES = \
	pvm3/ck/address.h \
	pvm3/ck/cancel.h \
	pvm3/ck/dialect.h \
	pvm3/ck/doorbell.c pvm3/ck/doorbell.h \
	pvm3/ck/endpoint.c pvm3/ck/endpoint.h \
	pvm3/ck/engine.c pvm3/ck/engine.h \
	pvm3/ck/examine.c pvm3/ck/examine.h \
	pvm3/ck/failure.c \
	pvm3/ck/host_message.c pvm3/ck/host_message.h \
	pvm3/ck/inbox.c pvm3/ck/inbox.h \
	pvm3/ck/life.c \
	pvm3/ck/loan.h \
	pvm3/ck/lock.c pvm3/ck/lock.h \
	pvm3/ck/order.c pvm3/ck/order.h \
	pvm3/ck/outbox.c \
	pvm3/ck/outgoing.h \
	pvm3/ck/peer.c pvm3/ck/peer.h \
	pvm3/ck/port.h \
	pvm3/ck/post.c \
	pvm3/ck/receipt.c \
	pvm3/ck/receive.c \
	pvm3/ck/request.c pvm3/ck/request.h \
	pvm3/ck/result.h \
	pvm3/ck/sleepers.c pvm3/ck/sleepers.h \
	pvm3/ck/stamp.c pvm3/ck/stamp.h \
	pvm3/ck/users.h \
	pvm3/ck/wait.c pvm3/ck/wait.h \
	pvm3/ck/wait_descriptor.c pvm3/ck/wait_descriptor.h \
	pvm3/ck/way.h \
	pvm3/ck/ports/list.c pvm3/ck/ports/list.h \
	pvm3/ck/ports/self/self.c pvm3/ck/ports/self/self.h \
	pvm3/ck/ports/shm/arena.c pvm3/ck/ports/shm/arena.h \
	pvm3/ck/ports/shm/rendezvous.c pvm3/ck/ports/shm/rendezvous.h \
	pvm3/ck/ports/shm/ring.c pvm3/ck/ports/shm/ring.h \
	pvm3/ck/ports/shm/shm.c pvm3/ck/ports/shm/shm.h \
	pvm3/ck/ports/shm/shm_in.c \
	pvm3/ck/ports/shm/shm_late.c \
	pvm3/ck/ports/shm/shm_link.c \
	pvm3/ck/ports/shm/shm_load.c \
	pvm3/ck/ports/shm/shm_look.c \
	pvm3/ck/ports/shm/shm_meet.c \
	pvm3/ck/ports/shm/shm_order.c \
	pvm3/ck/ports/shm/shm_out.c \
	pvm3/ck/ports/shm/shm_rendezvous.c \
	pvm3/ck/ports/shm/shm_socket.c pvm3/ck/ports/shm/shm_socket.h \
	pvm3/ck/ports/shm/shm_piece.c \
	pvm3/ck/ports/shm/shm_tie.c \
	pvm3/ck/ports/stream/direct.c pvm3/ck/ports/stream/direct.h \
	pvm3/ck/ports/stream/route.c pvm3/ck/ports/stream/route.h \
	pvm3/ck/ports/stream/stream.c pvm3/ck/ports/stream/stream.h \
	pvm3/ck/ports/stream/stream_port.c pvm3/ck/ports/stream/stream_port.h
