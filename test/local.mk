# The tests. 'make check' runs the unit tests; test/run runs everything.

include test/unit/local.mk
include test/race/local.mk

if !HAVE_CMOCKA
check-local:
	@echo "make check: cmocka is not installed (libcmocka-dev): no unit test was built" >&2; exit 1
endif
