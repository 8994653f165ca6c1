# Examples: sources for users to read, copy and compile. They are installed as they are;
# test/system/test_own_examples.py compiles them there.
examplesdir = $(datarootdir)/doc/pvm3/examples
dist_examples_DATA = \
	pvm3/examples/Makefile \
	pvm3/examples/Makefile.aimk \
	pvm3/examples/README \
	pvm3/examples/heat.c \
	pvm3/examples/hello.c \
	pvm3/examples/hoster.c \
	pvm3/examples/manager.c \
	pvm3/examples/ring.c \
	pvm3/examples/server.c \
	pvm3/examples/service.h \
	pvm3/examples/tasker.c \
	pvm3/examples/workers.c

# 3.4.6 has its examples in PVM_ROOT.
install-examples-link:
	$(MKDIR_P) $(DESTDIR)$(pvmrootdir)
	ln -sfnr $(DESTDIR)$(examplesdir) $(DESTDIR)$(pvmrootdir)/examples

remove-examples-link:
	rm -f $(DESTDIR)$(pvmrootdir)/examples
.PHONY: install-examples-link remove-examples-link
