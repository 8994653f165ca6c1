# What the folder pvm3/lib adds to the build.
