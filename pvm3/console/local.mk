# What the folder pvm3/console adds to the build.
