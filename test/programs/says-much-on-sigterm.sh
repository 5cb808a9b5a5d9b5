#!/bin/sh
# On SIGTERM prints more than a pipe holds, then ends. Creates the file `ready` once the trap is set.
trap 'head -c 1048576 /dev/zero; exit 6' TERM
: >ready
while :; do sleep 0.05; done
