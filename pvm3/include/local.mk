# What programs include.
include_HEADERS += pvm3/include/pvm3.h pvm3/include/pvmproto.h pvm3/include/pvmtev.h pvm3/include/fpvm3.h
