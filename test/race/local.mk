# The race tests run from test/run race.
EXTRA_DIST += conf/suppressions/helgrind.supp test/race/test_race.py test/race/messages.c test/race/life.c test/race/matchers.c
