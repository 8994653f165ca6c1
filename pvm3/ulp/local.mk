# pvmulp: user-level processes. A user of libpvm3; it looks for programs as the pvmd does.
if HAVE_ULP
bin_PROGRAMS += pvmulp
noinst_LIBRARIES += libblocks.a
# C++, but for its library, which pvmulp does not need.
libblocks_a_SOURCES = pvm3/ulp/blocks.cc pvm3/ulp/blocks.h
pvmroot_tasks += pvmulp
pvmulp_SOURCES = \
	pvm3/ulp/arrival.c pvm3/ulp/arrival.h \
	pvm3/ulp/blocking_calls.c pvm3/ulp/blocking_calls.h \
	pvm3/ulp/calls.h \
	pvm3/ulp/cargo.c pvm3/ulp/cargo.h \
	pvm3/ulp/departure.c pvm3/ulp/departure.h \
	pvm3/ulp/command_calls.c pvm3/ulp/command_calls.h \
	pvm3/ulp/entry.c pvm3/ulp/entry.h \
	pvm3/ulp/environment.c pvm3/ulp/environment.h \
	pvm3/ulp/file_calls.c pvm3/ulp/file_calls.h \
	pvm3/ulp/file_moves.c pvm3/ulp/file_moves.h \
	pvm3/ulp/file_numbers.c pvm3/ulp/file_numbers.h \
	pvm3/ulp/files.c pvm3/ulp/files.h \
	pvm3/ulp/heap.c pvm3/ulp/heap.h \
	pvm3/ulp/heap_calls.c pvm3/ulp/heap_calls.h \
	pvm3/ulp/image.c pvm3/ulp/image.h \
	pvm3/ulp/language_files.c pvm3/ulp/language_files.h \
	pvm3/ulp/layout.c pvm3/ulp/layout.h \
	pvm3/ulp/machine.c pvm3/ulp/machine.h \
	pvm3/ulp/memory_calls.c pvm3/ulp/memory_calls.h \
	pvm3/ulp/new_calls.c pvm3/ulp/new_calls.h \
	pvm3/ulp/option_calls.c pvm3/ulp/option_calls.h \
	pvm3/ulp/parking.c pvm3/ulp/parking.h \
	pvm3/ulp/pre_copy.c pvm3/ulp/pre_copy.h \
	pvm3/ulp/program.c pvm3/ulp/program.h \
	pvm3/ulp/program_file.c pvm3/ulp/program_file.h \
	pvm3/ulp/pvmulp.c \
	pvm3/ulp/standard_output.c \
	pvm3/ulp/receive_calls.c pvm3/ulp/receive_calls.h \
	pvm3/ulp/region.c pvm3/ulp/region.h \
	pvm3/ulp/region_numbers.c pvm3/ulp/region_numbers.h \
	pvm3/ulp/room.c pvm3/ulp/room.h \
	pvm3/ulp/run_status.c pvm3/ulp/run_status.h \
	pvm3/ulp/substitutes.c pvm3/ulp/substitutes.h \
	pvm3/ulp/traits.c pvm3/ulp/traits.h \
	pvm3/ulp/ulp.c pvm3/ulp/ulp.h \
	pvm3/ulp/ulp_end.c \
	pvm3/ulp/written.c pvm3/ulp/written.h
pvmulp_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic-symbol=write '-Wl,--export-dynamic-symbol=_Zn[aw]m*' \
	'-Wl,--export-dynamic-symbol=_ZNSt12__basic_fileIc*'
gdbdir = $(datadir)/gdb/auto-load$(bindir)
dist_gdb_DATA = pvm3/ulp/pvmulp-gdb.py
pvmulp_LDADD = libblocks.a libcore.la libpvm3.la
endif
