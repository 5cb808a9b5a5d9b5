import { Fault } from '../kit/fault.ts'
import { DroverError } from './drover-error.ts'

/** Errors other than faults are bugs and stay as they are. */
export function toDroverError(error: unknown): unknown {
  if (!(error instanceof Fault)) return error
  const { code, message, details } = error
  return new DroverError({ code, message, details, cause: error.cause })
}

export async function throwingDroverErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toDroverError(error)
  }
}
