import { isTimestamp } from '../../kit/timestamp.ts'
import { apiVersionInvalid } from '../errors/faults.ts'

/** Throws a Fault for a version that is no day of the calendar, and for none where one is required. */
export function checkApiVersion(version: string | string[] | undefined, { isRequired }: { isRequired: boolean }): void {
  if (version === undefined && !isRequired) return
  if (typeof version !== 'string' || !isTimestamp(`${version}T00:00:00Z`))
    throw apiVersionInvalid({ given: version?.toString() })
}
