# The manual pages.
dist_man_MANS += pvm3/man/pvm_threads.7 pvm3/man/pvmd.1
