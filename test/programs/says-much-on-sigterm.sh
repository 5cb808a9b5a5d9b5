#!/bin/sh
# When it is told to end, prints more than a pipe holds before it does. Makes the file `ready` once it can.
trap 'head -c 1048576 /dev/zero; exit 6' TERM
: >ready
while :; do sleep 0.05; done
