# Defines the exported functions that have several forms, in all of them, of the last file, functions.txt. MPI_Bcast,
# MPI_Ibcast, MPI_Bcast_init and those for large counts call collective_bcast (collective_calls.h beside this file);
# MPI_Send and its forms call forms_send (forms.h). Needs expand.awk behind it.

BEGIN {
    print "/* The forms of functions. */"
    print "#include \"mpi/calls/collective_calls.h\"\n#include \"mpi/calls/forms.h\"\n\n#include \"mpi/calls/calls.h\"\n"
    print "#define NUMBERS(array) ((struct numbers){(array), sizeof *(array)})"
    print "#define NUMBER(place) ((struct number){(place), sizeof *(place)})"
    family("collective", "barrier bcast gather gatherv scatter scatterv allgather allgatherv alltoall alltoallv" \
           " alltoallw reduce allreduce reduce_scatter reduce_scatter_block scan exscan neighbor_allgather" \
           " neighbor_allgatherv neighbor_alltoall neighbor_alltoallv neighbor_alltoallw")
    family("forms", "send bsend rsend ssend recv mrecv sendrecv sendrecv_replace")
    family("forms", "buffer_attach buffer_detach comm_attach_buffer comm_detach_buffer session_attach_buffer" \
           " session_detach_buffer")
    family("forms", "pack unpack pack_size pack_external unpack_external pack_external_size reduce_local")
    family("forms", "get_count get_elements status_set_elements type_size type_get_extent type_get_true_extent")
    family("forms", "type_contiguous type_vector type_create_hvector type_indexed type_create_hindexed" \
           " type_create_indexed_block type_create_hindexed_block type_create_struct type_create_subarray" \
           " type_create_darray type_create_resized")
    family("forms", "put get accumulate get_accumulate")
    family("forms", "win_create win_allocate win_allocate_shared win_create_dynamic")
}
END {
    entry_done()
}

function family(prefix, names,    count, i, name) {
    count = split(names, name, " ")
    for (i = 1; i <= count; i++)
        prefix_of[name[i]] = prefix
}

function function_found(returns, name, parameters,    base, kind, large) {
    base = name
    large = sub(/_c$/, "", base)
    sub(/_x$/, "", base)
    kind = "FORM_BLOCKING"
    if (sub(/_init$/, "", base))
        kind = "FORM_PERSISTENT"
    else if (sub(/^I/, "", base) || (base ~ /^R(put|get|accumulate)/ && sub(/^R/, "", base)))
        kind = "FORM_STARTED"
    base = tolower(base)
    if (base in prefix_of)
        define(returns, name, parameters, kind, large, base)
}

function define(returns, name, parameters, kind, large, base,    count, part, i, word, form, arguments) {
    form = ".function = \"MPI_" name "\", .kind = " kind (large ? ", .large = true" : "")
    count = split(parameters, part, ", ")
    for (i = 1; i <= count; i++) {
        word = part[i]
        sub(/^.*[ *]/, "", word)
        if (part[i] ~ /^MPI_(Comm comm|Info info|Request \*request|Status \*status)$/)
            form = form ", ." word " = " word
        else
            arguments = arguments ", " argument(part[i], word)
    }
    printf "\nMPI_CALL(%s, %s)(%s)\n{\n", returns, name, parameters
    printf "    const struct form form = {%s};\n", form
    printf "    return %s_%s(&form%s);\n}\n", prefix_of[base], base, arguments
}

# Integers that are passed by their place can be of several types.
function argument(parameter, word) {
    if (sub(/\[\]$/, "", word) && parameter ~ /^const (int|MPI_Count|MPI_Aint) /)
        return "NUMBERS(" word ")"
    return parameter ~ /^(int|MPI_Count|MPI_Aint) \*/ ? "NUMBER(" word ")" : word
}
