/** Who may ask drover for work, by a label, a comment or a review. */
import { type Forge, type ForgePermission, PERMISSIONS } from './forge.ts'

export type MayAsk = (login: string) => Promise<boolean>

/** Those who are named, or else those who could change the repository themselves. */
export function rightsIn(forge: Pick<Forge, 'permissionOf'>, named: readonly string[]): MayAsk {
  const known = new Map<string, Promise<ForgePermission>>()
  // GitHub does not tell Ada from ada.
  const people = new Set(named.map((each) => each.toLowerCase()))
  return async (login) => {
    if (people.size > 0) return people.has(login.toLowerCase())
    const permission = known.get(login) ?? forge.permissionOf(login)
    known.set(login, permission)
    return PERMISSIONS.indexOf(await permission) >= PERMISSIONS.indexOf('write')
  }
}
