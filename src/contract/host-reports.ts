import { checker } from '../kit/schema.ts'
import type { ChangeReport } from './change-report.shape.ts'
import type { DoctorReport } from './doctor-report.shape.ts'
import type { ListReport } from './list-report.shape.ts'
import { validateChangeReport, validateDoctorReport, validateListReport } from './reports.generated.js'

export const checkChangeReport = checker<ChangeReport>('changeReport', validateChangeReport)

export const checkListReport = checker<ListReport>('listReport', validateListReport)

export const checkDoctorReport = checker<DoctorReport>('doctorReport', validateDoctorReport)
