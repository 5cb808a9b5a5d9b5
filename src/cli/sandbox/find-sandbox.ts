/** The sandbox of this machine, for what a command runs. Nothing is tried yet. */
import type { Config } from '../../config/config.shape.ts'
import type { Paths } from '../../config/paths.ts'
import { MachineSandbox } from '../../sandbox/machine/machine-sandbox.ts'
import type { Runtime } from '../command.ts'

export function findSandbox(
  { env, cwd, homeDirectory, sandbox: files }: Runtime,
  { directory: droverHome }: Pick<Paths, 'directory'>,
  { sandbox: settings }: Pick<Config, 'sandbox'>,
): MachineSandbox {
  return new MachineSandbox({ env, cwd, homeDirectory, droverHome, files, settings })
}
