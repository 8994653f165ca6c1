# What the folder pvm3/groups adds to the build.
