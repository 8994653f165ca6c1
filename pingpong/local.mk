# What the folder pingpong adds to the build. The yardsticks are compiled by pingpong/run.
EXTRA_DIST += \
	pingpong/README pingpong/run pingpong/report.py pingpong/systems.py \
	pingpong/pingpong_mpi.c pingpong/pingpong_zmq.c
