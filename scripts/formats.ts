import { isDate, isTimestamp } from '../src/kit/clock.ts'

/** The formats that shapes may name, as generated validators call them. */
export const formats = { date: isDate, 'date-time': isTimestamp }
