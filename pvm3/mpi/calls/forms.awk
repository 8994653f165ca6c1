# Defines the exported functions of collective operations, in all their forms, of the last file, functions.txt: MPI_Bcast,
# MPI_Ibcast, MPI_Bcast_init and those for large counts call collective_bcast (collectives.h beside this file). Needs
# expand.awk behind it.

BEGIN {
    print "/* The forms of the collective operations. */"
    print "#include \"mpi/calls/collective_calls.h\"\n\n#include \"mpi/calls/calls.h\"\n"
    print "#define NUMBERS(array) ((struct numbers){(array), sizeof *(array)})"
    count = split("barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv alltoallw" \
                  " reduce allreduce reduce_scatter reduce_scatter_block scan exscan neighbor_allgather" \
                  " neighbor_allgatherv neighbor_alltoall neighbor_alltoallv neighbor_alltoallw", name, " ")
    for (i = 1; i <= count; i++)
        operation[name[i]] = 1
}
END {
    entry_done()
}

function function_found(returns, name, parameters,    base, form, count, part, i, argument, arguments) {
    base = name
    sub(/_c$/, "", base)
    form = "FORM_BLOCKING"
    if (sub(/_init$/, "", base))
        form = "FORM_PERSISTENT"
    else if (base ~ /^I/ && sub(/^I/, "", base))
        form = "FORM_STARTED"
    base = tolower(base)
    if (!(base in operation))
        return
    count = split(parameters, part, ", ")
    for (i = 1; i <= count; i++) {
        argument = part[i]
        sub(/^.*[ *]/, "", argument)
        if (argument == "comm" || argument == "info" || argument == "request")
            continue
        if (sub(/\[\]$/, "", argument) && part[i] !~ /MPI_Datatype/)
            argument = "NUMBERS(" argument ")"
        arguments = arguments ", " argument
    }
    printf "\nMPI_CALL(%s, %s)(%s)\n{\n", returns, name, parameters
    printf "    const struct form form = {\"MPI_%s\", %s, comm, %s, %s};\n", name, form, \
        form == "FORM_PERSISTENT" ? "info" : "MPI_INFO_NULL", form == "FORM_BLOCKING" ? "0" : "request"
    printf "    return collective_%s(&form%s);\n}\n", base, arguments
}
