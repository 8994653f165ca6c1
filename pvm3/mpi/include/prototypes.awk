# Writes mpi.h: the second file, mpi.h.in, with the prototypes of the functions that the first one, functions.txt,
# names. Needs expand.awk behind it.

FILENAME ~ /[.]in$/ {
    if (entry != "") {
        entry_done()
        entry = ""
    }
    if ($0 == "@PROTOTYPES@") {
        printf "%s\n/* The same under the names that tools do not stand before */\n%s", ours, theirs
        next
    }
    print
    next
}

function function_found(returns, name, parameters) {
    ours = ours wrapped(returns " MPI_" name "(" parameters ");")
    theirs = theirs wrapped(returns " PMPI_" name "(" parameters ");")
}

# A line of at most 100 characters, or several.
function wrapped(text,    i, count, part, line, all) {
    count = split(text, part, ", ")
    line = part[1]
    for (i = 2; i <= count; i++) {
        if (length(line) + length(part[i]) > 96) {
            all = all line ",\n"
            line = "    " part[i]
        } else {
            line = line ", " part[i]
        }
    }
    return all line "\n"
}
