# What the folder pingpong adds to the build. The yardsticks are compiled by pingpong/run.
noinst_PROGRAMS += pingpong/pingpong
pingpong_pingpong_SOURCES = \
	pingpong/exchange.c pingpong/exchange.h \
	pingpong/fail.c pingpong/fail.h \
	pingpong/link.h \
	pingpong/measure.c pingpong/measure.h \
	pingpong/options.c pingpong/options.h \
	pingpong/payload.c pingpong/payload.h \
	pingpong/pingpong.c \
	pingpong/serve.c pingpong/serve.h \
	pingpong/version.c pingpong/version.h
pingpong_pingpong_LDADD = libpvm3.la -lpthread
EXTRA_DIST += \
	pingpong/README pingpong/run pingpong/compare.py pingpong/report.py pingpong/systems.py \
	pingpong/pingpong_mpi.c pingpong/pingpong_zmq.c
