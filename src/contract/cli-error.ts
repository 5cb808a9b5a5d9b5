import { checker, within } from '../kit/schema.ts'
import type { CliError } from './cli-error.shape.ts'
import { nextRules } from './next.ts'
import { validateCliError } from './reports.generated.js'

export const checkCliError = checker<CliError>('cliError', validateCliError, [within('next', nextRules)])
