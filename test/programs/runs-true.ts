#!/usr/bin/env node
// Runs a command whose deadline is far away, and should exit as soon as that has ended.
import { runProcess } from '../../src/kit/process/process.ts'
import { command } from '../support/test-command.ts'

await runProcess(command(['true'], { timeoutMs: 3_600_000 }), { stdoutLimitBytes: 100 })
