"""What the user types, and what is missing."""
import argparse
import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

# Where Debian and Ubuntu put D3, version 3, which draws the page.
D3 = Path("/usr/share/javascript/d3/d3.min.js")
BROWSER = "xdg-open"


def arguments_read():
    parser = argparse.ArgumentParser(
        prog="pvmview", description="Shows a virtual machine live, as a page for a browser on this computer.",
        epilog="See pvmview(1).")
    parser.add_argument("-p", "--port", type=int, default=0, help="of 127.0.0.1; the default is one that is free")
    parser.add_argument("-n", "--no-browser", action="store_true", help="only print the address of the page")
    return parser.parse_args()


def fail(why):
    print(f"pvmview: {why}", file=sys.stderr)
    return 1


def browser_open(address):
    """Show the page, if there is a display and a program that knows the user's browser."""
    if (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")) and shutil.which(BROWSER):
        subprocess.Popen([BROWSER, address], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, start_new_session=True)


def main():
    arguments = arguments_read()
    # The other programs are beside this one.
    os.environ["PATH"] = f"{Path(sys.argv[0]).resolve().parent}:{os.environ.get('PATH', os.defpath)}"
    if not D3.exists():
        return fail("D3 was not found: install the package libjs-d3")
    try:
        from pvmview.server import serve
    except ImportError as error:
        return fail(f"{error}: install the package python3-aiohttp")

    def ready(address):
        print(address, flush=True)
        if not arguments.no_browser:
            browser_open(address)
    try:
        return asyncio.run(serve(arguments.port, D3, ready))
    except OSError as error:
        return fail(error)
