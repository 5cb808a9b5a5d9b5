#!/bin/sh
# Leaves a daemon behind that keeps stdout and stderr open, in its own session and without a parent. Prints its process id.
setsid sh -c 'sleep 600 & echo $!'
