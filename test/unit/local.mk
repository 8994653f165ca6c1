# What the folder test/unit adds to the build.
