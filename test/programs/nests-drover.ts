#!/usr/bin/env node
// Acts as a drover that was started by a drover: its child leaves a daemon, whose process id it prints. Then it waits.
import { runProcess } from '../../src/kit/process/process.ts'
import { command, program } from '../support/test-command.ts'

const { DROVER_TREE = '' } = process.env
const leaves = command([program('leaves-daemon.sh')])
const { stdout } = await runProcess({ ...leaves, env: { ...leaves.env, DROVER_TREE } }, { stdoutLimitBytes: 100 })
process.stdout.write(stdout)
setInterval(() => {}, 60_000)
