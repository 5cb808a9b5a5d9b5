/** Clears up after processes that died without doing so: their agents are ended, their sessions settled. */
import { endMarked } from '../kit/end-marked.ts'
import { OWNER_VARIABLE } from '../kit/tree-variable.ts'
import type { SessionStore } from '../sessions/session-store.ts'

/** How many sessions were settled. */
export async function settleAbandoned(
  store: SessionStore,
  env: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { settled, deadOwners } = await store.settleAbandoned()
  // A drover that such an agent has started must not end itself.
  const others = deadOwners.filter((owner) => owner !== env[OWNER_VARIABLE])
  await Promise.all(others.map(endMarked))
  return settled
}
