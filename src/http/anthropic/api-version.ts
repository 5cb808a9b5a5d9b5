import { apiVersionInvalid } from '../faults.ts'

/** A date by its form; which dates there are is the vendor's affair. */
const DATE = /^\d{4}-\d{2}-\d{2}$/

/** Throws a Fault for a version that is no date, and for none where one is required. */
export function checkApiVersion(version: string | string[] | undefined, { isRequired }: { isRequired: boolean }): void {
  if (version === undefined && !isRequired) return
  if (typeof version !== 'string' || !DATE.test(version)) throw apiVersionInvalid({ given: version?.toString() })
}
