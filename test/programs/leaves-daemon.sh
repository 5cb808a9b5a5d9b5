#!/bin/sh
# Leaves a daemon behind that holds stdout and stderr open: own session, no parent. Prints its process number.
setsid sh -c 'sleep 600 & echo $!'
