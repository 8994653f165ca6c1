# The race tests run from test/run race.
EXTRA_DIST += conf/suppressions/helgrind.supp conf/suppressions/leak.supp \
	test/race/test_race.py test/race/test_race_groups.py test/race/test_race_tasks.py \
	test/race/test_race_tpl.py test/race/test_race_trace.py \
	test/race/test_pairs.py test/race/test_stress.py test/race/stress.c test/race/managed.c test/race/traced.c \
	test/race/rendezvous_threads.c test/race/messages.c test/race/life.c test/race/group_threads.c test/race/matchers.c \
	test/race/pairs.c test/race/pairs_calls.c test/race/pairs_calls.h test/race/pairs_groups.c
