import { checker } from '../kit/schema.ts'
import type { DoctorReport } from './doctor-report.shape.ts'
import { validateDoctorReport } from './reports.generated.js'

export const checkDoctorReport = checker<DoctorReport>('doctorReport', validateDoctorReport)
