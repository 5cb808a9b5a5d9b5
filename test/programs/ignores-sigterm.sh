#!/bin/sh
# Says on stdout that it was told to end, and goes on.
trap 'echo told' TERM
echo ready
while :; do sleep 0.05; done
