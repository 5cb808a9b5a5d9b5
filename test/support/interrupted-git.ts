import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import { ending } from './run-drover.ts'
import { errorOf, type RunRoom } from './run-room.ts'
import { until } from './until.ts'

/** Interrupts a command while it waits for a git that never answers, and returns its error. */
export async function interruptedAtGit(room: RunRoom, args: readonly string[]): Promise<CliError> {
  const mark = join(room.desk, 'asked')
  const git = room.file('git', `#!/bin/sh\necho > '${mark}'\nexec sleep 60\n`)
  chmodSync(git, 0o755)
  writeFileSync(mark, '')
  const child = room.start(args, { env: { ...room.env, PATH: `${room.desk}:${room.env.PATH}` } })
  const ended = ending(child)
  await until(() => readFileSync(mark, 'utf8') !== '')
  child.kill('SIGINT')
  return await errorOf(await ended)
}
