import { resolve } from 'node:path'
import { locateGh } from '../../forge/gh.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { InvalidCode } from '../../source/classification.ts'
import { issueNotAChange } from '../../source/faults.ts'
import { fetchEnvelope } from '../../source/fetch-envelope.ts'
import { readSource } from '../../source/read-source.ts'
import type { RunCommand } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { toPrintable } from '../output/printable.ts'

/** An issue with one of these codes is not a change at all. Other invalid issues are still written. */
const NOT_A_CHANGE: readonly InvalidCode[] = ['change_marker_required', 'objective_marker', 'unsupported_marker']

export const run: RunCommand = async ({ args, flags, runtime }) => {
  const { env, cwd, clock, terminal } = runtime
  const { signal } = listenForInterruption()
  const envelope = await fetchEnvelope({ url: args[0] ?? '', gh: locateGh({ env, cwd }), clock, signal })
  const reading = readSource(envelope)
  if (reading.is === 'rejected') {
    const { code, error: problem } = reading
    if (NOT_A_CHANGE.includes(code)) throw issueNotAChange({ url: envelope.canonical_url, code, problem })
    await terminal.err.write(`drover: warning: this issue cannot be pinned (${code}): ${toPrintable(problem)}\n`)
  }
  const text = `${writeJson(envelope)}\n`
  const file = flags.text('output')
  if (file === undefined || file === '-') await terminal.out.write(text)
  else replaceFile({ path: resolve(cwd, file), bytes: Buffer.from(text), mode: 0o600 })
  return 0
}
