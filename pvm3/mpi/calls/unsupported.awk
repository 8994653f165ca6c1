# Defines the functions of the last file, functions.txt, that the files before it do not define: each line that begins
# with MPI_CALL(int, Send) defines MPI_Send. Needs expand.awk behind it.

BEGIN {
    print "/* The functions that are not there yet. */"
    print "#include \"mpi/calls/calls.h\"\n\n/* They use no parameter. */"
    print "#pragma GCC diagnostic ignored \"-Wunused-parameter\""
}
FILENAME ~ /[.]c$/ {
    if (match($0, /^MPI_CALL[(][A-Za-z_]+, [A-Za-z_0-9]+[)]/)) {
        name = substr($0, RSTART, RLENGTH - 1)
        sub(/^.*, /, "", name)
        defined[name] = 1
    }
    next
}
END {
    entry_done()
}

function function_found(returns, name, parameters) {
    number++
    if (name in defined)
        return
    printf "\nMPI_CALL(%s, %s)(%s)\n{\n", returns, name, parameters
    printf "    return %scall_unsupported(%d);\n}\n", returns == "int" ? "" : "(" returns ")(intptr_t)", number - 1
}
