import { callMain } from './call-main.ts'
import { temporaryDirectory } from './run-drover.ts'

/** The same command as `runDrover`, with a temporary home, in this process. */
export function callDrover(args: readonly string[], options: { env?: Record<string, string>; home?: string } = {}) {
  const { home = temporaryDirectory(), env } = options
  return callMain(args, { cwd: home, env: { HOME: home, ...env } })
}
