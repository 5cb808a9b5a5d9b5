import { LIMITS } from '../../contract/limits.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import { invalidSource } from '../../source/faults.ts'
import { readEnvelope } from '../../source/read-envelope.ts'
import { readSource } from '../../source/read-source.ts'
import { toCandidate } from '../../source/to-candidate.ts'
import type { Run } from '../command.ts'
import { readSourceInput } from './source-input.ts'
import { sayVerdict } from './source-verdict.ts'

/** A verdict is no candidate of any run, so it has no id by which one could be chosen. */
const CANDIDATE_ID = 'source-check'

/** The verdict is the result, so it goes to stdout whichever way it falls; the exit code tells a script. */
export const run: Run = async (invocation) => {
  const { flags, runtime } = invocation
  const envelope = await readSourceInput(invocation, {
    command: 'source check',
    limitBytes: LIMITS.envelopeBytes,
    parse: (bytes) => readEnvelope(bytes, { input: 'it' }),
    refuse: invalidSource,
  })
  const reading = readSource(envelope)
  const stamp = { candidate_id: CANDIDATE_ID, created_at: toTimestamp(runtime.clock.now()) }
  await runtime.terminal.out.write(
    flags.isOn('json') ? `${writeJson(toCandidate(envelope, reading, stamp))}\n` : sayVerdict(envelope, reading),
  )
  return reading.is === 'pinned' ? 0 : 3
}
