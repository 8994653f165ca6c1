/*
 * search.h - which file is meant by the name of a program?
 */
#ifndef CORE_SEARCH_H
#define CORE_SEARCH_H

/* Where programs are looked for unless PVM_PATH says something else, with variables to expand. */
#define SEARCH_PATH_DEFAULT "$HOME/pvm3/bin/$PVM_ARCH:$PVM_ROOT/bin/$PVM_ARCH"

/*
 * A name with a slash is meant as it is; any other name is looked for in the folders of `path`,
 * which colons separate. Relative names start at `directory`, a descriptor or AT_FDCWD. The first
 * regular file that its owner may execute is taken. NULL when no such file is found or memory is
 * short. The caller's to free.
 */
char *search_program(const char *name, const char *path, int directory);

#endif
