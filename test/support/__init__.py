"""What the tests of a running virtual machine share: places, machines, programs, the raw protocol."""
