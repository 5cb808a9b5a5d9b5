import { checker } from '../kit/schema.ts'
import type { ChangeReport } from './change-report.shape.ts'
import { validateChangeReport } from './reports.generated.js'

export const checkChangeReport = checker<ChangeReport>('changeReport', validateChangeReport)
