/** The boundary of a driven run, as text. Pure. */
import { placeOf } from '../../drive/decide/agent-permissions.ts'
import { describeInside } from '../../drive/evidence/summarize-boundary.ts'
import type { EventOf } from '../../drive/record/drive-event.ts'
import type { DriveState } from '../../drive/record/drive-state.ts'
import { toPrintable } from './printable.ts'
import { oneLine, type StyledLine } from './styled-line.ts'

const USERS: Readonly<Record<EventOf<'boundary_seen'>['data']['by'], string>> = {
  agent: 'the agent',
  setup: 'the setup',
  baseline: 'the check',
  check: 'the check',
  clean_checkout: 'the check in the clean checkout',
}

/** The one line that says which mode a run is driven in, and why. */
export function describeBoundary(boundary: EventOf<'boundary_set'>['data'], state: DriveState): StyledLine[] {
  if (boundary.is === 'inside') return [`In a sandbox: ${toPrintable(describeInside(boundary))}`]
  const { approval } = placeOf(state.options.backend, state)
  const why = toPrintable(boundary.why ?? '')
  return [{ text: `Without a sandbox (--approval ${approval}): ${why}`, tone: 'open', keepsPaths: true }]
}

/** What was reached is in the report. */
export function describeRefused({
  by,
  refused,
  unwritable,
  exceeded = [],
}: EventOf<'boundary_seen'>['data']): StyledLine[] {
  const lines = [
    ...refused.map(({ host, reason }) => `refused ${USERS[by]} a connection to ${host}: ${reason}`),
    ...exceeded.map((limit) => `stopped ${USERS[by]}: ${limit}`),
    ...unwritable.map((path) => `did not let ${USERS[by]} write ${path}`),
  ]
  return lines.map((line) => ({ text: `  the sandbox ${oneLine(line)}`, tone: 'open' }))
}
