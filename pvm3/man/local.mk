# The manual pages. Whatever else the NAME section of a page names becomes a page that refers to it.
manual_pages = \
	pvm3/man/aimk.1 \
	pvm3/man/libfpvm.3 \
	pvm3/man/libpvm.3 \
	pvm3/man/mpicc.1 \
	pvm3/man/pvm.1 \
	pvm3/man/pvm3threads.7 \
	pvm3/man/pvm_addhosts.3 \
	pvm3/man/pvm_allreduce.3 \
	pvm3/man/pvm_addmhf.3 \
	pvm3/man/pvm_barrier.3 \
	pvm3/man/pvm_bcast.3 \
	pvm3/man/pvm_bufinfo.3 \
	pvm3/man/pvm_catchout.3 \
	pvm3/man/pvm_config.3 \
	pvm3/man/pvm_cookbook.7 \
	pvm3/man/pvm_environment.7 \
	pvm3/man/pvm_errors.7 \
	pvm3/man/pvm_exit.3 \
	pvm3/man/pvm_export.3 \
	pvm3/man/pvm_fortran.7 \
	pvm3/man/pvm_freezegroup.3 \
	pvm3/man/pvm_from_mpi.7 \
	pvm3/man/pvm_from_pvm.7 \
	pvm3/man/pvm_gather.3 \
	pvm3/man/pvm_getfds.3 \
	pvm3/man/pvm_getinst.3 \
	pvm3/man/pvm_getmboxinfo.3 \
	pvm3/man/pvm_getnoresets.3 \
	pvm3/man/pvm_gstat.1 \
	pvm3/man/pvm_halt.3 \
	pvm3/man/pvm_hostfile.5 \
	pvm3/man/pvm_hostsync.3 \
	pvm3/man/pvm_initsend.3 \
	pvm3/man/pvm_insert.3 \
	pvm3/man/pvm_interrupt_recv.3 \
	pvm3/man/pvm_intro.1 \
	pvm3/man/pvm_joingroup.3 \
	pvm3/man/pvm_kill.3 \
	pvm3/man/pvm_languages.7 \
	pvm3/man/pvm_migrate.3 \
	pvm3/man/pvm_mpi.7 \
	pvm3/man/pvm_mstat.3 \
	pvm3/man/pvm_mytid.3 \
	pvm3/man/pvm_newcontext.3 \
	pvm3/man/pvm_notify.3 \
	pvm3/man/pvm_pack.3 \
	pvm3/man/pvm_packf.3 \
	pvm3/man/pvm_parent.3 \
	pvm3/man/pvm_perror.3 \
	pvm3/man/pvm_pkmesg.3 \
	pvm3/man/pvm_probe.3 \
	pvm3/man/pvm_psend.3 \
	pvm3/man/pvm_pstat.3 \
	pvm3/man/pvm_putinfo.3 \
	pvm3/man/pvm_python.7 \
	pvm3/man/pvm_questions.7 \
	pvm3/man/pvm_recv.3 \
	pvm3/man/pvm_recvf.3 \
	pvm3/man/pvm_reduce.3 \
	pvm3/man/pvm_reg_hoster.3 \
	pvm3/man/pvm_reg_rm.3 \
	pvm3/man/pvm_reg_tasker.3 \
	pvm3/man/pvm_reg_tracer.3 \
	pvm3/man/pvm_send.3 \
	pvm3/man/pvm_setopt.3 \
	pvm3/man/pvm_setsbuf.3 \
	pvm3/man/pvm_settmask.3 \
	pvm3/man/pvm_siblings.3 \
	pvm3/man/pvm_spawn.3 \
	pvm3/man/pvm_share.3 \
	pvm3/man/pvm_spawnt.3 \
	pvm3/man/pvm_start_pvmd.3 \
	pvm3/man/pvm_slurm.7 \
	pvm3/man/pvm_symbols.7 \
	pvm3/man/pvm_tasks.3 \
	pvm3/man/pvm_threads.7 \
	pvm3/man/pvm_threadsafe.3 \
	pvm3/man/pvm_tickle.3 \
	pvm3/man/pvm_tidtohost.3 \
	pvm3/man/pvm_trace.5 \
	pvm3/man/pvm_tutorial.7 \
	pvm3/man/pvm_unpack.3 \
	pvm3/man/pvm_version.3 \
	pvm3/man/pvmd.1 \
	pvm3/man/pvmgetarch.1 \
	pvm3/man/pvmgettmp.3 \
	pvm3/man/pvmgroups.1 \
	pvm3/man/pvmgs.1 \
	pvm3/man/pvmrun.1 \
	pvm3/man/pvmsched.1 \
	pvm3/man/pvmslurm.1 \
	pvm3/man/pvmtop.1 \
	pvm3/man/pvmtrace.1 \
	pvm3/man/pvmulp.1 \
	pvm3/man/pvmview.1 \
	pvm3/man/tpl.3 \
	pvm3/man/tpl_answer.3 \
	pvm3/man/tpl_call.3 \
	pvm3/man/tpl_count.3 \
	pvm3/man/tpl_enter.3 \
	pvm3/man/tpl_publish.3 \
	pvm3/man/tpl_receive.3 \
	pvm3/man/tpl_send.3 \
	pvm3/man/tpl_start.3 \
	pvm3/man/tpl_strerror.3 \
	pvm3/man/tracer.1 \
	pvm3/man/trcsort.1
dist_man_MANS += $(manual_pages)
EXTRA_DIST += conf/manual-aliases

install-manual-aliases:
	cd $(srcdir) && conf/manual-aliases install $(DESTDIR)$(mandir) $(manual_pages)

remove-manual-aliases:
	cd $(srcdir) && conf/manual-aliases remove $(DESTDIR)$(mandir) $(manual_pages)

# make html, make install-html: the manual as a site, in the folder html of the build.
site = $(abs_top_builddir)/html
sitedir = $(htmldir)/manual
EXTRA_DIST += conf/manual-html conf/manual.css pvm3/man/pvmview.1.png

html-local: html/index.html

html/index.html: $(manual_pages) conf/manual-html conf/manual.css pvm3/man/pvmview.1.png
	rm -rf $(site)
	cd $(srcdir) && conf/manual-html $(site) $(manual_pages)

install-html-local: html-local
	$(MKDIR_P) $(DESTDIR)$(sitedir)
	$(INSTALL_DATA) $(site)/* $(DESTDIR)$(sitedir)

remove-site:
	rm -rf $(DESTDIR)$(sitedir)
.PHONY: install-manual-aliases remove-manual-aliases remove-site
