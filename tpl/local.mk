# TPL, the Thread Parallel Library.
include_HEADERS += tpl/tpl.h
lib_LTLIBRARIES += libtpl.la
libtpl_la_SOURCES = \
	tpl/call.c tpl/ground.c tpl/ground.h tpl/inbox.c tpl/letters.c tpl/lock.c tpl/node.c tpl/node.h \
	tpl/over.c tpl/peer.c tpl/pool.c tpl/send.c
libtpl_la_LIBADD = libpvm3.la
libtpl_la_LDFLAGS = $(AM_LDFLAGS) -version-number 0:1:0 -no-undefined

noinst_LTLIBRARIES += tpl/libstatic.la
tpl_libstatic_la_SOURCES = tpl/static.c

static_libraries += libtpl.a
libtpl.a: libtpl.la tpl/libstatic.la conf/static-library
	$(AM_V_AR)$(static_library) $@ libtpl.la $(libtpl_la_OBJECTS) tpl/libstatic.la

# Servers, to read and to start from: sources beside the examples, as nobody needs them as programs.
serversdir = $(examplesdir)/tpl
dist_servers_DATA = \
	tpl/servers/array.c tpl/servers/balance.c tpl/servers/kv.c tpl/servers/kv_table.h tpl/servers/kv_table.c \
	tpl/servers/queens.c tpl/servers/queens.h tpl/servers/service.c tpl/servers/service.h tpl/servers/stream.c
