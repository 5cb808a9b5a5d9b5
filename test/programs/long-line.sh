#!/bin/sh
# Prints a line of the given number of bytes, and a short one after it.
head -c "$1" /dev/zero | tr '\0' x
echo
echo after
