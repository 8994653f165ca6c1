# Reads functions.txt, and calls function_found(RETURNS, NAME, PARAMETERS) for each function, in C. The script before it
# defines that function.

/^#/ { next }
/^[^ ]/ { entry_done(); entry = $0; next }
{ sub(/^ +/, " "); entry = entry $0 }

function entry_done(    colon, head, returns, large, parameters) {
    if (entry == "")
        return
    colon = index(entry, ": ")
    head = substr(entry, 1, colon - 1)
    parameters = substr(entry, colon + 2)
    returns = "int"
    if (split(head, word, " ") == 2) {
        returns = in_c(word[1], 0)
        head = word[2]
    }
    large = sub(/[+]$/, "", head)
    function_found(returns, head, all_in_c(parameters, 0))
    if (large)
        function_found(returns, head "_c", all_in_c(parameters, 1))
}

function all_in_c(parameters, large,    i, count, part, text) {
    count = split(parameters, part, " ")
    for (i = 1; i <= count; i++)
        text = text (i == 1 ? "" : " ") in_c(part[i], large)
    return text
}

# The word of a parameter: what begins with a capital is a type.
function in_c(word, large) {
    if (word == "N")
        return large ? "MPI_Count" : "int"
    if (word == "D")
        return large ? "MPI_Aint" : "int"
    if (word == "A")
        return large ? "MPI_Count" : "MPI_Aint"
    if (sub(/[+]$/, "", word))
        return "MPI_" word (large ? "_c" : "")
    return word ~ /^[A-Z]/ ? "MPI_" word : word
}
