# What the folder test/race adds to the build.
