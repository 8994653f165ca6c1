# libgpvm3, and pvmgs, the group server: ordinary users of libpvm3.

lib_LTLIBRARIES += libgpvm3.la
libgpvm3_la_SOURCES = \
	pvm3/groups/awaited.c pvm3/groups/awaited.h \
	pvm3/groups/changes.c pvm3/groups/changes.h \
	pvm3/groups/client.c pvm3/groups/client.h \
	pvm3/groups/collective.c pvm3/groups/collective.h \
	pvm3/groups/everybody.c \
	pvm3/groups/exchange.c pvm3/groups/exchange.h \
	pvm3/groups/items.c pvm3/groups/items.h \
	pvm3/groups/known.c pvm3/groups/known.h \
	pvm3/groups/known_groups.c pvm3/groups/known_groups.h \
	pvm3/groups/members.c pvm3/groups/members.h \
	pvm3/groups/membership.c \
	pvm3/groups/operations.c \
	pvm3/groups/protocol.h \
	pvm3/groups/reduce.c \
	pvm3/groups/trace.c pvm3/groups/trace.h \
	pvm3/groups/wide_items.c pvm3/groups/wide_items.h
# The version script alone says what is exported.
libgpvm3_la_CFLAGS = $(AM_CFLAGS) -fvisibility=default
# It is never unloaded: at the end of a thread it is called.
libgpvm3_la_LDFLAGS = $(AM_LDFLAGS) -version-number 3:4:6 -no-undefined -Wl,-z,nodelete \
	-Wl,--version-script=$(top_srcdir)/pvm3/groups/libgpvm3.map
libgpvm3_la_LIBADD = libpvm3.la
EXTRA_libgpvm3_la_DEPENDENCIES = pvm3/groups/libgpvm3.map
EXTRA_DIST += pvm3/groups/libgpvm3.map test/race/group_threads.c test/race/test_race_groups.py

static_libraries += libgpvm3.a
libgpvm3.a: libgpvm3.la conf/static-library
	$(AM_V_AR)$(static_library) $@ libgpvm3.la $(libgpvm3_la_OBJECTS)

bin_PROGRAMS += pvmgs
pvmroot_tasks += pvmgs
pvmgs_SOURCES = \
	pvm3/groups/arguments.c pvm3/groups/arguments.h \
	pvm3/groups/changes.c pvm3/groups/changes.h \
	pvm3/groups/reply.c pvm3/groups/reply.h \
	pvm3/groups/server.c \
	pvm3/groups/table.c pvm3/groups/table.h
pvmgs_LDADD = libpvm3.la

# The tools of groups: users of libgpvm3.
groups_tool = \
	pvm3/groups/arguments.c pvm3/groups/arguments.h \
	pvm3/groups/tool.c pvm3/groups/tool.h

bin_PROGRAMS += pvm_gstat pvmgroups
pvmroot_tasks += pvm_gstat pvmgroups
pvm_gstat_SOURCES = pvm3/groups/gstat.c $(groups_tool)
pvm_gstat_LDADD = libgpvm3.la libpvm3.la
pvmgroups_SOURCES = pvm3/groups/dump.c $(groups_tool)
pvmgroups_LDADD = libgpvm3.la libpvm3.la
