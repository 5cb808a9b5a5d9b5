#!/usr/bin/env node
// Runs a command whose deadline is far away, and should exit as soon as that has ended.
import { runToEnd } from '../../src/kit/process/run-to-end.ts'
import { command } from '../support/test-command.ts'

await runToEnd(command(['true'], { timeoutMs: 3_600_000 }), { stdoutLimitBytes: 100 })
