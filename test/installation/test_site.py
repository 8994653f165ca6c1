"""Is the manual on the web whole: every page and every name, links that lead somewhere, and HTML that is valid?

It is made and installed by `make install-html` of the build whose prefix is tested.
"""
import fcntl
import os
import re
import subprocess
from html.parser import HTMLParser

import pytest
from measure import manual
from support.places import PREFIX, TOP

PAGES = manual.pages(TOP)


class Links(HTMLParser):
    """What a page links to, each with its text, and the anchors that it has."""

    def __init__(self, path):
        super().__init__()
        self.targets, self.anchors, self.texts = [], [], {}
        self._open = None
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.anchors.append(attributes["id"])
        if target := attributes.get("href"):
            self.targets.append(target)
            self._open = target

    def handle_data(self, data):
        if self._open:
            self.texts.setdefault(data.strip(), self._open)

    def handle_endtag(self, tag):
        if tag == "a":
            self._open = None


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the installed site."""
    folder = tmp_path_factory.mktemp("site")
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    with (PREFIX.parent / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["make", "-C", PREFIX.parent, "install-html", f"DESTDIR={folder}", "htmldir=/html"],
                              env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "html" / "manual"


@pytest.fixture(scope="module")
def links(site):
    """File name to Links of all pages of the site."""
    return {path.name: Links(path) for path in site.glob("*.html")}


def test_every_page_is_there(links):
    assert set(links) == {*(f"{page.path.name}.html" for page in PAGES), "index.html", "names.html"}


def test_links_lead_to_files_and_anchors(site, links):
    targets = {(source, target) for source, page in links.items() for target in page.targets}
    assert len(targets) > len(PAGES)
    lost = []
    for source, target in sorted(targets):
        name, _, anchor = target.partition("#")
        name = name or source
        if "://" in target:     # of another site, for readers with a network
            continue
        if not (site / name).is_file() or anchor and anchor not in links[name].anchors:
            lost.append((source, target))
    assert lost == []


def test_every_name_is_in_the_list_and_leads_to_its_page(links):
    expected = {f"{name}({page.section})": f"{page.path.name}.html" for page in PAGES for name in page.names}
    assert {text: target for text, target in links["names.html"].texts.items() if text in expected} == expected


def test_every_page_is_reached_from_the_front_page(links):
    functions = {f"{page.path.name}.html" for page in PAGES}
    assert functions - set(links["index.html"].targets) == set()


def test_references_to_pages_of_ours_are_links(links):
    own = {(name, page.section): f"{page.path.name}.html" for page in PAGES for name in page.names}
    for page in PAGES:
        targets = set(links[f"{page.path.name}.html"].targets)
        assert {own[reference] for reference in page.references if reference in own} - targets == set(), page


def test_it_is_valid_and_needs_nothing_else(site):
    pages = sorted(site.glob("*.html"))
    said = subprocess.run(["tidy", "-quiet", "-errors", "-utf8", *pages], capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, "")
    for page in pages:
        assert re.findall(r"<script.*|<link .*://.*", page.read_text()) == [], page
        assert all((site / picture).exists() for picture in re.findall(r'src="([^"]*)"', page.read_text())), page
