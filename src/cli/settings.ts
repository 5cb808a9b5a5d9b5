import { howToAdd } from '../agents/acp/known-agents.ts'
import type { Config } from '../config/config.shape.ts'
import { type ConfigEnvironment, findPaths, hiddenFiles, listPrivateFiles, type Paths } from '../config/paths.ts'
import { type LoadedConfig, type Override, readConfig } from '../config/read-config.ts'
import { hasPassword } from '../kit/process/child-environment.ts'
import type { SandboxParts } from '../prompts/prompt-context.ts'
import type { Invocation } from './command.ts'
import { flagValueInvalid, storePasswordVisible } from './faults.ts'

export function toConfigEnvironment({ flags, runtime }: Invocation): ConfigEnvironment {
  const { env, homeDirectory, cwd } = runtime
  return { env, homeDirectory, cwd, configFlag: flags.text('config') }
}

/** Where the files of drover are. */
export function findUserPaths(invocation: Invocation): Paths {
  return findPaths(toConfigEnvironment(invocation))
}

/** The config file that `--config` or `DROVER_CONFIG` names. */
export function findNamedConfig(invocation: Invocation): string | undefined {
  const { config, configNamedBy } = findUserPaths(invocation)
  return configNamedBy === undefined ? undefined : config
}

/** What agents must not read under a ceiling. */
export function privateFilesFor(invocation: Invocation): ReturnType<typeof listPrivateFiles> {
  const { cwd, env } = invocation.runtime
  return listPrivateFiles(findUserPaths(invocation), { cwd, keysFile: env['DROVER_API_KEYS_FILE'] })
}

/** What sandboxes of agents are made of. */
export function sandboxPartsFor(invocation: Invocation, config: Config): SandboxParts {
  const { cwd, env, sandbox } = invocation.runtime
  const paths = findUserPaths(invocation)
  return { ...sandbox, droverHome: paths.directory, hidden: hiddenFiles(config, { paths, env, cwd }) }
}

/** Reads the configuration, prints its warnings, and turns colour off if it says so. */
export async function readSettings(invocation: Invocation, overrides: readonly Override[] = []): Promise<LoadedConfig> {
  const reading = await readConfig({ ...toConfigEnvironment(invocation), overrides })
  checkBackend(invocation, Object.keys(reading.config.backends))
  const { out, err } = invocation.runtime.terminal
  if (!reading.config.output.color) for (const channel of [out, err]) channel.disableColor()
  await err.write(reading.warnings.map((warning) => `drover: warning: ${warning}\n`).join(''))
  return reading
}

/** Which backends there are depends on the configuration, so the parser of the command line cannot check the flag. */
function checkBackend({ flags }: Invocation, known: readonly string[]): void {
  const given = flags.text('backend')
  if (given === undefined || known.includes(given)) return
  const allowed = `one of ${known.join(', ')}`
  throw flagValueInvalid({ flag: '--backend', given, allowed, known, todo: howToAdd(given) })
}

/** Throws if the address of a store, as an argument of a command, has a password: others can read arguments. */
export function refusePassword(argument: string, url: string | undefined): void {
  if (url !== undefined && hasPassword(url)) throw storePasswordVisible({ argument })
}
