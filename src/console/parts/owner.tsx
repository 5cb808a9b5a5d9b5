import type { Session } from '../../sessions/session.shape.ts'
import { sender } from '../live/api.ts'
import { toLine } from '../text/visible-text.ts'

/** The API key of a session, if it is not that of the reader, and whether all keys see it. */
export function Owner({ session }: { session: Pick<Session, 'api_key' | 'shared'> }) {
  const { api_key: key, shared } = session
  return (
    <>
      {key !== undefined && key !== sender.value?.name && <span>of {toLine(key)}</span>}
      {shared === true && <span class="tag">shared</span>}
    </>
  )
}
