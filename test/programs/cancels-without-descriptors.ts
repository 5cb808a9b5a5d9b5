#!/usr/bin/env node
// Cancels a stubborn program while no file descriptor is free, so that /proc cannot be read. Prints how the program ended,
// its process id and that of its tool.
import { openSync } from 'node:fs'
import { startProcess } from '../../src/kit/process/process.ts'
import { command, firstWords } from '../support/test-command.ts'

const STUBBORN = "trap '' TERM; sleep 600 & echo $!; while :; do sleep 0.05; done"

const controller = new AbortController()
const started = await startProcess(command(['sh', '-c', STUBBORN], { signal: controller.signal }))
const tool = Number(await firstWords(started.stdout))
try {
  for (;;) openSync('/dev/null', 'r')
} catch {
  // No descriptor is free now.
}
controller.abort()
const { pid, ended, signal } = await started.exit
process.stdout.write(JSON.stringify({ pid, tool, ended, signal }))
