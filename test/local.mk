# The tests. 'make check' runs the unit tests; test/run runs everything.

include test/unit/local.mk
include test/race/local.mk
include test/kernel/local.mk
include test/simulation/local.mk

EXTRA_DIST += conf/after-install conf/bootstrap conf/build conf/debian-packages conf/static-library conf/unpack-stock \
	test/run test/phases test/gate test/report \
	test/measure/circles.py test/measure/floors.py test/measure/manual.py test/measure/objects.py test/measure/public.py test/measure/source.py test/measure/vectors.py \
	test/abi \
	test/conftest.py test/pytest.ini test/support test/api test/bench test/browser test/fuzz test/installation test/interop \
	test/patches test/random test/system test/tasks test/tpl

# EXTRA_DIST takes folders whole, with what Python left in them.
dist-hook:
	find $(distdir) -name __pycache__ -prune -exec rm -rf {} +

if !HAVE_CMOCKA
check-local:
	@echo "make check: cmocka is not installed (libcmocka-dev): no unit test was built" >&2; exit 1
endif
