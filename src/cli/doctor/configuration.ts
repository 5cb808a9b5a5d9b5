import { type ConfigProblem, configInvalid } from '../../config/faults.ts'
import { formatOrigin } from '../../config/origin.ts'
import type { ConfigEnvironment } from '../../config/paths.ts'
import { type LoadedConfig, readConfig } from '../../config/read-config.ts'
import { Fault } from '../../kit/fault.ts'
import { defineCheck, type Finding } from './check.ts'

const CONFIG = { group: 'Configuration', name: 'configuration' } as const

export const configValid = defineCheck({
  ...CONFIG,
  code: 'config_valid',
  status: 'ok',
  means: 'The config file and the `DROVER_…` variables break no rule, or there are none.',
})

export const configWarning = defineCheck({
  ...CONFIG,
  code: 'config_warning',
  status: 'warning',
  means: 'A setting is allowed and yet hardly what is meant.',
  todo: 'run drover config show, which tells where each value comes from',
})

export const configBroken = defineCheck({
  ...CONFIG,
  code: 'config_invalid',
  status: 'error',
  means: 'A setting breaks a rule, and every command that needs settings refuses to work. One check for each problem.',
  todo: 'correct it; docs/config.md lists every key',
})

export const configUnreadable = defineCheck({
  ...CONFIG,
  code: 'config_unreadable',
  status: 'error',
  means: 'The config file cannot be read, or the place that is named for it cannot be used.',
  todo: 'correct --config, DROVER_CONFIG or DROVER_HOME, or give yourself the right to read the file',
})

/** The configuration, or why there is none. */
export type Settings = { is: 'read'; reading: LoadedConfig } | { is: 'refused'; why: Fault }

export async function findSettings(surroundings: ConfigEnvironment): Promise<Settings> {
  try {
    return { is: 'read', reading: await readConfig(surroundings) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { is: 'refused', why: error }
  }
}

export function judgeSettings(settings: Settings): Finding[] {
  if (settings.is === 'refused') return judgeRefusal(settings.why)
  const { file, warnings } = settings.reading
  const detail = file.exists ? file.path : `${file.path} does not exist, so every setting has its default value`
  return [configValid({ detail }), ...warnings.map((warning) => configWarning({ detail: warning }))]
}

function judgeRefusal(why: Fault): Finding[] {
  if (why.code !== configInvalid.code) return [configUnreadable({ detail: why.message, todo: undefined })]
  const { problems } = why.details as { problems: readonly ConfigProblem[] }
  return problems.map(({ key, rule, origin }) =>
    configBroken({ detail: [`${formatOrigin(origin)}:`, key, rule].filter(Boolean).join(' ') }),
  )
}
