# The exported functions, a file for each family of them.
libmpi_abi_la_SOURCES += \
	pvm3/mpi/calls/calls.c pvm3/mpi/calls/calls.h

# Values, objects, datatypes and operations.
libmpi_abi_la_SOURCES += \
	pvm3/mpi/calls/abi_calls.c \
	pvm3/mpi/calls/attribute_calls.c \
	pvm3/mpi/calls/count_calls.c \
	pvm3/mpi/calls/environment_calls.c \
	pvm3/mpi/calls/error_calls.c \
	pvm3/mpi/calls/error_handler_calls.c \
	pvm3/mpi/calls/handle_calls.c \
	pvm3/mpi/calls/info_calls.c \
	pvm3/mpi/calls/operation_calls.c \
	pvm3/mpi/calls/pack_calls.c \
	pvm3/mpi/calls/property_calls.c \
	pvm3/mpi/calls/tool_calls.c \
	pvm3/mpi/calls/type_calls.c \
	pvm3/mpi/calls/type_contents_calls.c \
	pvm3/mpi/calls/type_make_calls.c

# Messages, requests, and the process.
libmpi_abi_la_SOURCES += \
	pvm3/mpi/calls/arguments.c pvm3/mpi/calls/arguments.h \
	pvm3/mpi/calls/buffer_calls.c \
	pvm3/mpi/calls/exchange_calls.c \
	pvm3/mpi/calls/form.h pvm3/mpi/calls/forms.h \
	pvm3/mpi/calls/grequest_calls.c \
	pvm3/mpi/calls/port_calls.c \
	pvm3/mpi/calls/posting.c pvm3/mpi/calls/posting.h \
	pvm3/mpi/calls/probe_calls.c \
	pvm3/mpi/calls/process_calls.c \
	pvm3/mpi/calls/receive_calls.c \
	pvm3/mpi/calls/request_calls.c \
	pvm3/mpi/calls/session_calls.c \
	pvm3/mpi/calls/send_calls.c \
	pvm3/mpi/calls/spawn_calls.c \
	pvm3/mpi/calls/status_calls.c

# Communicators, topologies and collective operations.
libmpi_abi_la_SOURCES += \
	pvm3/mpi/calls/cart_calls.c \
	pvm3/mpi/calls/collective_call.c pvm3/mpi/calls/collective_call.h \
	pvm3/mpi/calls/collective_calls.h \
	pvm3/mpi/calls/collective_data_calls.c \
	pvm3/mpi/calls/collective_neighbor_calls.c \
	pvm3/mpi/calls/collective_reduce_calls.c \
	pvm3/mpi/calls/communicator_calls.c \
	pvm3/mpi/calls/graph_calls.c \
	pvm3/mpi/calls/group_calls.c \
	pvm3/mpi/calls/inter_calls.c

# One-sided communication.
libmpi_abi_la_SOURCES += \
	pvm3/mpi/calls/access_calls.c \
	pvm3/mpi/calls/epoch_calls.c \
	pvm3/mpi/calls/window_calls.c

# The exported forms of calls are made of the table of functions.
nodist_libmpi_abi_la_SOURCES += pvm3/mpi/calls/forms.c
mpi_made_calls = pvm3/mpi/calls/forms.c
CLEANFILES += pvm3/mpi/calls/forms.c
EXTRA_DIST += pvm3/mpi/calls/forms.awk
pvm3/mpi/calls/forms.c: $(mpi_table) $(srcdir)/pvm3/mpi/calls/forms.awk
	$(AM_V_GEN)$(MKDIR_P) pvm3/mpi/calls && $(AWK) -f $(srcdir)/pvm3/mpi/calls/forms.awk \
	  -f $(srcdir)/pvm3/mpi/include/expand.awk $(mpi_functions) >$@.tmp && mv $@.tmp $@

# What no file defines is there nevertheless, and says that it is not supported.
CLEANFILES += pvm3/mpi/calls/unsupported.c
EXTRA_DIST += pvm3/mpi/calls/unsupported.awk
pvm3/mpi/calls/unsupported.c: $(mpi_table) $(srcdir)/pvm3/mpi/calls/unsupported.awk $(libmpi_abi_la_SOURCES) $(mpi_made_calls)
	$(AM_V_GEN)$(MKDIR_P) pvm3/mpi/calls && $(AWK) -f $(srcdir)/pvm3/mpi/calls/unsupported.awk \
	  -f $(srcdir)/pvm3/mpi/include/expand.awk $(srcdir)/pvm3/mpi/calls/*.c $(mpi_made_calls) $(mpi_functions) >$@.tmp && mv $@.tmp $@
