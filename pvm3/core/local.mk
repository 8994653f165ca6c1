# What the folder pvm3/core adds to the build.
