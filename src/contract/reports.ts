import { checker, type Problem, type Rule, within } from '../kit/schema.ts'
import type { CliError } from './cli-error.shape.ts'
import { nextRules } from './next.ts'
import {
  validateChangeReport,
  validateCliError,
  validateDoctorReport,
  validateListReport,
} from './reports.generated.js'
import type { ChangeReport, DoctorReport, ListReport } from './reports.shape.ts'

export const checkChangeReport = checker<ChangeReport>('changeReport', validateChangeReport)

export const checkListReport = checker<ListReport>('listReport', validateListReport)

export const checkDoctorReport = checker<DoctorReport>('doctorReport', validateDoctorReport)

function outcomeIsThatOfTheReport({ details }: CliError): Problem[] {
  const reported = details?.report?.transaction_outcome
  return reported === details?.transaction_outcome
    ? []
    : [{ path: '$.details.transaction_outcome', rule: `must be that of the report, ${reported}` }]
}

const rules: readonly Rule<CliError>[] = [within('next', nextRules), outcomeIsThatOfTheReport]

export const checkCliError = checker<CliError>('cliError', validateCliError, rules)
