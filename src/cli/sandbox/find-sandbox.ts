/** The sandbox of this machine, for what a command runs. Nothing is tried yet. */
import type { Config } from '../../config/config.shape.ts'
import { hiddenFiles, type Paths } from '../../config/paths.ts'
import { MachineSandbox } from '../../sandbox/machine/machine-sandbox.ts'
import type { Runtime } from '../command.ts'

export function findSandbox(
  { env, cwd, homeDirectory, sandbox: files }: Runtime,
  paths: Pick<Paths, 'directory' | 'config'>,
  config: Pick<Config, 'sandbox' | 'server' | 'notify'>,
): MachineSandbox {
  const hidden = hiddenFiles(config, { paths, env, cwd })
  const { directory: droverHome } = paths
  return new MachineSandbox({ env, cwd, homeDirectory, droverHome, files, settings: config.sandbox, hidden })
}
