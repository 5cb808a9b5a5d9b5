/** Drives runs with scripted agents, in this process. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { callMain, type Surroundings } from './call-main.ts'
import { createDrivenHome, type DrivenHomeOptions, type DrivenScript } from './driven-home.ts'
import { type FakeGitHub, installFakeGh } from './fake-gh.ts'
import { temporaryDirectory } from './run-drover.ts'

/** A home for one test. */
export function createDriving(script: DrivenScript = {}, options: DrivenHomeOptions = {}) {
  const home = createDrivenHome(temporaryDirectory(), script, options)
  const { repository, env } = home
  const call = (args: readonly string[], more: Pick<Surroundings, 'clock' | 'onOutput'> = {}) =>
    callMain(args, { cwd: repository.root, env, homeDirectory: home.home, ...more })
  const installGitHub = (github: FakeGitHub) => {
    const { bin } = installFakeGh(join(home.scratch, 'github'), github)
    symlinkSync(join(bin, 'gh'), join(home.scratch, 'bin', 'gh'))
  }
  return { ...home, call, drive: (...args: string[]) => call(['drive', ...args]), installGitHub }
}
