#!/bin/sh
# Leaves a daemon behind that writes to stdout without end. Prints its process id to stderr.
setsid sh -c 'yes & echo $! >&2'
