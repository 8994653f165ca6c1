# python: the package pvm for Python, which calls libpvm3 and libgpvm3 as any program does. It lies in PVM_ROOT; pip
# makes a wheel of the folder.
pvmpythondir = $(pvmrootdir)/python/pvm
dist_pvmpython_DATA = \
	pvm3/python/pvm/__init__.py \
	pvm3/python/pvm/_library.py \
	pvm3/python/pvm/aio.py \
	pvm3/python/pvm/errors.py \
	pvm3/python/pvm/futures.py \
	pvm3/python/pvm/groups.py \
	pvm3/python/pvm/machine.py \
	pvm3/python/pvm/message.py \
	pvm3/python/pvm/py.typed \
	pvm3/python/pvm/receiving.py \
	pvm3/python/pvm/service.py \
	pvm3/python/pvm/worker.py
EXTRA_DIST += pvm3/python/pyproject.toml
