"""The virtual machine live in a browser.

A child, pvmtop, looks at hosts and tasks while a page is open. Another child, pvmtrace, runs each program that a page
starts, and tells what its tasks call. So this package is no task, and no other task does anything for it.
"""
