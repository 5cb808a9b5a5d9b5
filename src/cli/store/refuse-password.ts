import { hasPassword } from '../../kit/process/child-environment.ts'
import { storePasswordVisible } from '../faults.ts'

/** Throws if the address of a store, as an argument of a command, has a password: others can read arguments. */
export function refusePassword(argument: string, url: string | undefined): void {
  if (url !== undefined && hasPassword(url)) throw storePasswordVisible({ argument })
}
