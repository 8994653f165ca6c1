# Where users of 3.4.6 look for things: PVM_ROOT, and what finds an installation for them.

# PVM_ROOT and other folders are known to those sources alone that include this file. It changes only when
# they do, so that 'make prefix=...' builds anew what has to be.
BUILT_SOURCES += places.h
CLEANFILES += places.h
places.h: FORCE
	$(AM_V_GEN){ echo '/* Where things are installed; headers in $(includedir), libraries in $(libdir). */'; \
	  echo '#define PVM_DEFAULT_ROOT "$(pvmrootdir)"'; \
	  echo '#define PVM_DEFAULT_PVMD "$(bindir)/pvmd"'; \
	  echo '#define PVM_DEFAULT_SHELL "$(pvmrootdir)/bin/rsh"'; } >$@.tmp && \
	{ cmp -s $@.tmp $@ && rm $@.tmp || mv $@.tmp $@; }
FORCE:

# What names folders.
bin_SCRIPTS += pvm3/layout/aimk pvm3/layout/pvmgetarch
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = pvm3/layout/pvm3.pc pvm3/layout/gpvm3.pc pvm3/layout/fpvm3.pc tpl/tpl.pc
cmakedir = $(libdir)/cmake/pvm3
cmake_DATA = pvm3/layout/pvm3-config.cmake pvm3/layout/pvm3-config-version.cmake
CLEANFILES += $(layout_filled)

fill_in = sed -e 's|@prefix[@]|$(prefix)|g' -e 's|@bindir[@]|$(bindir)|g' -e 's|@libdir[@]|$(libdir)|g' \
	-e 's|@includedir[@]|$(includedir)|g' -e 's|@pvmrootdir[@]|$(pvmrootdir)|g' \
	-e 's|@fortranmoddir[@]|$(fortranmoddir)|g' -e 's|@PVM_ARCH[@]|$(PVM_ARCH)|g' -e 's|@VERSION[@]|$(VERSION)|g'
layout_filled = $(pkgconfig_DATA) $(cmake_DATA) pvm3/layout/aimk pvm3/layout/pvmgetarch
EXTRA_DIST += pvm3/layout/architecture.def.in pvm3/layout/architecture.m4 \
	pvm3/layout/aimk.in pvm3/layout/pvmgetarch.in \
	pvm3/layout/pvm3.pc.in pvm3/layout/gpvm3.pc.in pvm3/layout/fpvm3.pc.in tpl/tpl.pc.in \
	pvm3/layout/pvm3-config.cmake.in pvm3/layout/pvm3-config-version.cmake.in
$(layout_filled): places.h Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(fill_in) $(srcdir)/$@.in >$@.tmp && mv $@.tmp $@
pvm3/layout/aimk: $(srcdir)/pvm3/layout/aimk.in
pvm3/layout/pvmgetarch: $(srcdir)/pvm3/layout/pvmgetarch.in
pvm3/layout/pvm3.pc: $(srcdir)/pvm3/layout/pvm3.pc.in
pvm3/layout/gpvm3.pc: $(srcdir)/pvm3/layout/gpvm3.pc.in
pvm3/layout/fpvm3.pc: $(srcdir)/pvm3/layout/fpvm3.pc.in
tpl/tpl.pc: $(srcdir)/tpl/tpl.pc.in
pvm3/layout/pvm3-config.cmake: $(srcdir)/pvm3/layout/pvm3-config.cmake.in
pvm3/layout/pvm3-config-version.cmake: $(srcdir)/pvm3/layout/pvm3-config-version.cmake.in

pvmconfdir = $(pvmrootdir)/conf
pvmconf_DATA = pvm3/layout/$(PVM_ARCH).def pvm3/layout/$(PVM_ARCH).m4
CLEANFILES += $(pvmconf_DATA)
pvm3/layout/$(PVM_ARCH).def: $(srcdir)/pvm3/layout/architecture.def.in Makefile
	$(AM_V_GEN)$(MKDIR_P) pvm3/layout && $(fill_in) $(srcdir)/pvm3/layout/architecture.def.in >$@.tmp && mv $@.tmp $@
pvm3/layout/$(PVM_ARCH).m4: $(srcdir)/pvm3/layout/architecture.m4
	$(AM_V_GEN)$(MKDIR_P) pvm3/layout && cp $(srcdir)/pvm3/layout/architecture.m4 $@

# What a pvmd starts a task with that is to be debugged.
pvmrootlibdir = $(pvmrootdir)/lib
dist_pvmrootlib_SCRIPTS = pvm3/layout/debugger

# Completion of commands in shells. bash looks for a file with the name of the command.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = pvm3/layout/completion/pvm
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = pvm3/layout/completion/_pvm
bashcompletion_links = pvmd pvmrun pvmtop pvmview
install-completion-links:
	$(MKDIR_P) $(DESTDIR)$(bashcompletiondir)
	for name in $(bashcompletion_links); do ln -sf pvm $(DESTDIR)$(bashcompletiondir)/$$name || exit 1; done
remove-completion-links:
	for name in $(bashcompletion_links); do rm -f $(DESTDIR)$(bashcompletiondir)/$$name; done
.PHONY: install-completion-links remove-completion-links

# The rest of PVM_ROOT is links to what is elsewhere. In lib/PVM_ARCH are the static libraries alone, as ever: what a
# makefile links with -L and this folder finds at run time all that it found then. The daemon and the console have
# been there, too, by these names. In bin/PVM_ARCH a pvmd looks for programs to spawn.
pvmroot_links = \
	place lib $(bindir) pvm pvmd pvmgs pvmgetarch aimk; \
	place lib/$(PVM_ARCH) $(bindir) pvm pvmd3; \
	place lib/$(PVM_ARCH) $(libdir) $(static_libraries); \
	place bin/$(PVM_ARCH) $(bindir) $(pvmroot_tasks); \
	place include $(includedir) $(include_HEADERS)

# fpvm3.h stands beside the module, too: a Fortran compiler does not look into the system's folder of headers.
install-pvmroot:
	place() { \
	  to=$(DESTDIR)$(pvmrootdir)/$$1; from=$(DESTDIR)$$2; shift 2; \
	  $(MKDIR_P) $$to || exit 1; \
	  for path; do ln -sfr $$from/$${path##*/} $$to/$${path##*/} || exit 1; done; \
	}; $(pvmroot_links)
	$(MKDIR_P) $(DESTDIR)$(fortranmoddir)
	test -e $(DESTDIR)$(fortranmoddir)/fpvm3.h || \
	  ln -sr $(DESTDIR)$(includedir)/fpvm3.h $(DESTDIR)$(fortranmoddir)/fpvm3.h

remove-pvmroot:
	rm -f $(DESTDIR)$(fortranmoddir)/fpvm3.h
	place() { \
	  to=$(DESTDIR)$(pvmrootdir)/$$1; shift 2; \
	  for path; do rm -f $$to/$${path##*/}; done; \
	}; $(pvmroot_links)
	-cd $(DESTDIR)$(pvmrootdir) && rmdir lib/$(PVM_ARCH) lib bin/$(PVM_ARCH) bin include conf $(DESTDIR)$(pvmrootdir) \
	  2>/dev/null
.PHONY: install-pvmroot remove-pvmroot

# The packages for Debian, in the folder deb: a release is made there, and built by debhelper as the distribution does.
EXTRA_DIST += conf/debian
deb:
	$(AM_V_at)rm -rf deb && mkdir deb
	$(AM_V_at)$(MAKE) --no-print-directory distdir distdir=deb/pvm-$(VERSION) >deb.log 2>&1 || { cat deb.log >&2; exit 1; }
	$(AM_V_at)$(SHELL) $(srcdir)/conf/debian-packages deb/pvm-$(VERSION) $(VERSION) >>deb.log 2>&1 || { cat deb.log >&2; exit 1; }
	$(AM_V_at)rm -rf deb/pvm-$(VERSION)
.PHONY: deb
CLEANFILES += deb.log

# Those for Fedora, in the folder rpm. rpmbuild finds the spec in the release.
EXTRA_DIST += conf/rpm/pvm.spec
rpm: dist
	rm -rf rpm
	rpmbuild -ta --define '_topdir $(abs_builddir)/rpm' $(distdir).tar.gz
.PHONY: rpm

# For Spack and for containers, which build from a release.
EXTRA_DIST += conf/spack/package.py conf/containers

clean-local:
	rm -rf deb html rpm
