import { connection } from '../live/server-state.ts'

/** What is not there yet. Without a connection, it says why. */
export function Loading() {
  return connection.value === 'cut' ? (
    <p class="cut">The connection to the server is cut. The page connects again by itself.</p>
  ) : (
    <p class="dim">Loading…</p>
  )
}
