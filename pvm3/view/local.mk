# pvmview: the virtual machine live in a browser. It runs pvmtop and pvmtrace, and needs aiohttp and D3 when it is used.
bin_SCRIPTS += pvm3/view/pvmview
layout_filled += pvm3/view/pvmview
EXTRA_DIST += pvm3/view/pvmview.in
pvm3/view/pvmview: $(srcdir)/pvm3/view/pvmview.in
viewdir = $(pvmrootdir)/python/pvmview
dist_view_DATA = \
	pvm3/view/package/__init__.py \
	pvm3/view/package/machine.py \
	pvm3/view/package/main.py \
	pvm3/view/package/runs.py \
	pvm3/view/package/server.py \
	pvm3/view/package/timeline.py
viewpagedir = $(viewdir)/page
dist_viewpage_DATA = \
	pvm3/view/page/icon.svg \
	pvm3/view/page/index.html \
	pvm3/view/page/lists.js \
	pvm3/view/page/model.js \
	pvm3/view/page/network.js \
	pvm3/view/page/spacetime.js \
	pvm3/view/page/view.css \
	pvm3/view/page/view.js
