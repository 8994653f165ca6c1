# What the folder pingpong adds to the build.
