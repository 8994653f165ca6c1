divert(-1)
How C functions are written that Fortran calls, for m4: with these definitions in front of it,

    void FUNCTION(name) ARGS(`STRING_ARG(text), count')
    STRING_ARG_DECL(text);
    int *count;

is a function that Fortran calls as name(text, count). The compiler appends an underscore to its name,
and gives the length of each string by value, behind all other arguments, in their order.

`len' is the name of a parameter, not the macro of m4.
undefine(`len')
define(`STRING_LENGTHS')
define(`FUNCTION', `$1_')
define(`STRING_PTR', `$1_ptr')
define(`STRING_LEN', `$1_len')
define(`STRING_ARG', `STRING_PTR($1)`'define(`STRING_LENGTHS', defn(`STRING_LENGTHS')`, $1_len')')
define(`STRING_ARG_DECL', `char *STRING_PTR($1); int STRING_LEN($1)')
define(`ARGS', `($1`'STRING_LENGTHS`'define(`STRING_LENGTHS'))')
divert(0)dnl
