import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import { ending } from './run-drover.ts'
import { errorOf, type RunFixture } from './run-fixture.ts'
import { until } from './until.ts'

/** The error of a command that is interrupted while git hangs. */
export async function interruptedAtGit(fixture: RunFixture, args: readonly string[]): Promise<CliError> {
  const mark = join(fixture.scratch, 'asked')
  const git = fixture.file('git', `#!/bin/sh\necho > '${mark}'\nexec sleep 60\n`)
  chmodSync(git, 0o755)
  writeFileSync(mark, '')
  const child = fixture.start(args, { env: { ...fixture.env, PATH: `${fixture.scratch}:${fixture.env.PATH}` } })
  const ended = ending(child)
  await until(() => readFileSync(mark, 'utf8') !== '')
  child.kill('SIGINT')
  return await errorOf(await ended)
}
