import { checker } from '../kit/schema.ts'
import type { ListReport } from './list-report.shape.ts'
import { validateListReport } from './reports.generated.js'

export const checkListReport = checker<ListReport>('listReport', validateListReport)
