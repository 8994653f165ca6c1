# What the folder pvm3/daemon adds to the build.
