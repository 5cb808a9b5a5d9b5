import { type ConfigProblem, configInvalid } from '../../../config/faults.ts'
import { formatOrigin } from '../../../config/origin.ts'
import type { Fault } from '../../../kit/fault.ts'
import type { DiagnosticCheck } from './doctor-check.ts'
import { defineFindings, type Finding, ok, problem, warning } from './finding.ts'

export const CONFIGURATION = defineFindings('Configuration', 'configuration', {
  config_valid: ok('The config file and the `DROVER_…` variables are valid, or there are none.'),
  config_warning: warning(
    'A setting is valid but probably not intended.',
    'run drover config show, which shows where each value comes from',
  ),
  config_invalid: problem(
    'A setting is invalid, so every command that reads the configuration fails. There is one finding per problem.',
    'correct it; docs/config.md lists every key',
  ),
  config_unreadable: problem(
    'The config file cannot be read, or its location is invalid.',
    'correct --config, DROVER_CONFIG or DROVER_HOME, or make the file readable',
  ),
})

export const checkConfiguration: DiagnosticCheck = async (context) => {
  const config = await context.config
  if (config.is === 'missing') return assessFailure(config.why)
  const { file, warnings } = config.value
  const detail = file.exists ? file.path : `${file.path} does not exist, so every setting has its default value`
  return [
    CONFIGURATION.config_valid({ detail }),
    ...warnings.map((warning) => CONFIGURATION.config_warning({ detail: warning })),
  ]
}

function assessFailure(why: Fault): Finding[] {
  if (why.code !== configInvalid.code)
    return [CONFIGURATION.config_unreadable({ detail: why.message, todo: undefined })]
  const { problems } = why.details as { problems: readonly ConfigProblem[] }
  return problems.map(({ key, rule, origin }) =>
    CONFIGURATION.config_invalid({ detail: [`${formatOrigin(origin)}:`, key, rule].filter(Boolean).join(' ') }),
  )
}
