/** Drives runs with scripted agents, in this process. */
import { callMain } from './call-main.ts'
import { createDrivenHome, type DrivenHomeOptions, type DrivenScript } from './driven-home.ts'
import { temporaryDirectory } from './run-drover.ts'

/** A home for one test. */
export function createDriving(script: DrivenScript = {}, options: DrivenHomeOptions = {}) {
  const home = createDrivenHome(temporaryDirectory(), script, options)
  const { repository, env } = home
  const call = (args: readonly string[]) => callMain(args, { cwd: repository.root, env, homeDirectory: home.home })
  return { ...home, call, drive: (...args: string[]) => call(['drive', ...args]) }
}
