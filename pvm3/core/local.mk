# core: values only - no threads, no input or output, no globals.
noinst_LTLIBRARIES += libcore.la
libcore_la_SOURCES = \
	pvm3/core/annotate.h \
	pvm3/core/assemble.c pvm3/core/assemble.h \
	pvm3/core/cache_line.h \
	pvm3/core/chunk.c pvm3/core/chunk.h \
	pvm3/core/control.c pvm3/core/control.h \
	pvm3/core/encode.c pvm3/core/encode.h \
	pvm3/core/environment.c pvm3/core/environment.h \
	pvm3/core/error.c pvm3/core/error.h \
	pvm3/core/expand.c pvm3/core/expand.h \
	pvm3/core/frame.c pvm3/core/frame.h \
	pvm3/core/frame_reader.c pvm3/core/frame_reader.h \
	pvm3/core/item.h \
	pvm3/core/link_word.c pvm3/core/link_word.h \
	pvm3/core/match.c pvm3/core/match.h \
	pvm3/core/message.c pvm3/core/message.h \
	pvm3/core/one_thread.h \
	pvm3/core/own_address.c pvm3/core/own_address.h \
	pvm3/core/packet.c pvm3/core/packet.h \
	pvm3/core/packet_link.c pvm3/core/packet_link.h \
	pvm3/core/packed.c pvm3/core/packed.h \
	pvm3/core/pool.c pvm3/core/pool.h \
	pvm3/core/rarely.h \
	pvm3/core/references.h \
	pvm3/core/shared_array.c pvm3/core/shared_array.h \
	pvm3/core/replay_window.c pvm3/core/replay_window.h \
	pvm3/core/search.c pvm3/core/search.h \
	pvm3/core/signature.h \
	pvm3/core/siphash.c pvm3/core/siphash.h \
	pvm3/core/one_copy.c pvm3/core/one_copy.h \
	pvm3/core/spin.c pvm3/core/spin.h \
	pvm3/core/system.h \
	pvm3/core/tid.h \
	pvm3/core/trace_id.c pvm3/core/trace_id.h
libcore_la_LIBADD = libxdr.la

# The loops over arrays, which -O2 leaves as they are.
noinst_LTLIBRARIES += libxdr.la
libxdr_la_SOURCES = pvm3/core/xdr.c pvm3/core/xdr.h
libxdr_la_CFLAGS = $(AM_CFLAGS) $(VECTOR_CFLAGS)
libxdr_la_CPPFLAGS = $(AM_CPPFLAGS) $(VECTOR_CPPFLAGS)
