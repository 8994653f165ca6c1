# What the folder pvm3/ck adds to the build.
