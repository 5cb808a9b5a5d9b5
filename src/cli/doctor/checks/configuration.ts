import { type ConfigProblem, configInvalid } from '../../../config/faults.ts'
import { formatOrigin } from '../../../config/origin.ts'
import type { Fault } from '../../../kit/fault.ts'
import type { DiagnosticCheck } from './doctor-check.ts'
import { defineFinding, type Finding } from './finding.ts'

const CONFIGURATION = { group: 'Configuration', name: 'configuration' } as const

export const configValid = defineFinding({
  ...CONFIGURATION,
  code: 'config_valid',
  status: 'ok',
  means: 'The config file and the `DROVER_…` variables are valid, or there are none.',
})

export const configWarning = defineFinding({
  ...CONFIGURATION,
  code: 'config_warning',
  status: 'warning',
  means: 'A setting is valid but probably not intended.',
  todo: 'run drover config show, which shows where each value comes from',
})

export const configBroken = defineFinding({
  ...CONFIGURATION,
  code: 'config_invalid',
  status: 'error',
  means: 'A setting is invalid, so every command that reads the configuration fails. There is one finding per problem.',
  todo: 'correct it; docs/config.md lists every key',
})

export const configUnreadable = defineFinding({
  ...CONFIGURATION,
  code: 'config_unreadable',
  status: 'error',
  means: 'The config file cannot be read, or its location is invalid.',
  todo: 'correct --config, DROVER_CONFIG or DROVER_HOME, or make the file readable',
})

export const checkConfiguration: DiagnosticCheck = async (context) => {
  const config = await context.config
  if (config.is === 'missing') return assessFailure(config.why)
  const { file, warnings } = config.value
  const detail = file.exists ? file.path : `${file.path} does not exist, so every setting has its default value`
  return [configValid({ detail }), ...warnings.map((warning) => configWarning({ detail: warning }))]
}

function assessFailure(why: Fault): Finding[] {
  if (why.code !== configInvalid.code) return [configUnreadable({ detail: why.message, todo: undefined })]
  const { problems } = why.details as { problems: readonly ConfigProblem[] }
  return problems.map(({ key, rule, origin }) =>
    configBroken({ detail: [`${formatOrigin(origin)}:`, key, rule].filter(Boolean).join(' ') }),
  )
}
