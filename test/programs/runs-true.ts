#!/usr/bin/env node
// Runs a command with a deadline in an hour. It must exit as soon as the command has ended.
import { runProcess } from '../../src/kit/process/process.ts'
import { command } from '../support/test-command.ts'

await runProcess(command(['true'], { timeoutMs: 3_600_000 }), { stdoutLimitBytes: 100 })
