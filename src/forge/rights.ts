/** Who may ask drover for work, by a label, a comment or a review. */
import { type Forge, type ForgePermission, PERMISSIONS } from './forge.ts'

export type MayAsk = (login: string) => Promise<boolean>

/** Those who are named, or else those who could change the repository themselves. */
export function rightsIn(forge: Pick<Forge, 'permissionOf'>, named: readonly string[]): MayAsk {
  const known = new Map<string, Promise<ForgePermission>>()
  return async (login) => {
    if (named.length > 0) return named.includes(login)
    const permission = known.get(login) ?? forge.permissionOf(login)
    known.set(login, permission)
    return PERMISSIONS.indexOf(await permission) >= PERMISSIONS.indexOf('write')
  }
}
