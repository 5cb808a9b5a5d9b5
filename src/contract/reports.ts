import { checker, type Problem, type Rule, within } from '../kit/schema.ts'
import type { ChangeReport } from './change-report.shape.ts'
import type { CliError } from './cli-error.shape.ts'
import type { DoctorReport } from './doctor-report.shape.ts'
import type { ListReport } from './list-report.shape.ts'
import { nextRules } from './next.ts'
import {
  validateChangeReport,
  validateCliError,
  validateDoctorReport,
  validateListReport,
} from './reports.generated.js'

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
