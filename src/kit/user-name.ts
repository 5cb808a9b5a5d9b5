import { userInfo } from 'node:os'
import { orUndefined } from './fault.ts'

/** The user who runs this process. In a container a user may have a number only. */
export function userName(): string {
  return orUndefined(() => userInfo().username) ?? `user ${process.getuid?.()}`
}
