import { checker, type Problem, type Rule, within } from '../kit/schema.ts'
import type { CliError } from './cli-error.shape.ts'
import { nextRules } from './next.ts'
import { validateCliError } from './reports.generated.js'

function outcomeIsThatOfTheReport({ details }: CliError): Problem[] {
  const reported = details?.report?.transaction_outcome
  return reported === details?.transaction_outcome
    ? []
    : [{ path: '$.details.transaction_outcome', rule: `must be that of the report, ${reported}` }]
}

const rules: readonly Rule<CliError>[] = [within('next', nextRules), outcomeIsThatOfTheReport]

export const checkCliError = checker<CliError>('cliError', validateCliError, rules)
