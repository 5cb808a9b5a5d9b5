#!/bin/sh
# Prints its process number and waits.
echo $$
exec sleep 600
