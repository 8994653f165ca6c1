# What the folder pvm3/include adds to the build.
