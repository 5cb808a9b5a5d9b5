/** Texts of agents and users, as they leave this machine: short, and without what looks like a secret. Pure. */
import { redactSecrets } from '../kit/redact.ts'

/** Slack, ntfy and desktops cut longer ones. */
const TEXT_CHARACTERS = 2000
const CUT = '… [cut: the rest is in the console]'
/** A part that is longer than a secret is read in addition, so that none is cut into something that does not look like one. */
const MORE_CHARACTERS = 20_000

export function toSafeText(text: string, limit = TEXT_CHARACTERS): string {
  const start = redactSecrets(text.slice(0, limit + MORE_CHARACTERS))
  const isCut = start.length > limit || text.length > limit + MORE_CHARACTERS
  const mark = limit > CUT.length * 4 ? CUT : '…'
  return (isCut ? `${start.slice(0, limit - mark.length)}${mark}` : start).toWellFormed()
}

/** The same for every text in the data of an event. */
export function toSafeData<T>(data: T): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(data, (_, value) => (typeof value === 'string' ? toSafeText(value) : value)))
}
