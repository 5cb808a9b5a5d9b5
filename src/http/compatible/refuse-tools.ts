import { unsupportedFeature } from '../errors/faults.ts'

/** Agents bring tools of their own. A client that offers its own must not wait for calls that never come. */
export function refuseTools(offered: Readonly<Record<string, readonly unknown[] | null | undefined>>): void {
  for (const [place, tools] of Object.entries(offered)) {
    if ((tools ?? []).length > 0) throw unsupportedFeature({ place, feature: 'tools' })
  }
}
