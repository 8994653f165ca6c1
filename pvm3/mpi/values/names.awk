# Writes a table of the names of all functions. Needs expand.awk.

BEGIN {
    print "/* Made of functions.txt. */"
    print "#include \"mpi/values/errors.h\"\n\nconst char *const function_names[] = {"
}
END {
    entry_done()
    print "    0};"
}

function function_found(returns, name, parameters) {
    print "    \"MPI_" name "\","
}
