#!/bin/sh
# Prints a line of as many bytes as its argument says, and a short one after it.
head -c "$1" /dev/zero | tr '\0' x
echo
echo after
