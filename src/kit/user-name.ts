import { userInfo } from 'node:os'

/** The user who runs this process. In a container a user may have a number only. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.()}`
  }
}
