import { resolve } from 'node:path'
import { LIMITS } from '../../contract/limits.ts'
import type { RawSourceEnvelope } from '../../contract/raw-source-envelope.shape.ts'
import { locateGh } from '../../forge/gh.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { isDigest } from '../../kit/digest.ts'
import { Fault } from '../../kit/fault.ts'
import { decodeUtf8 } from '../../kit/files/read-file.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import type { InvalidCode } from '../../source/classification.ts'
import { draftBody, draftBundle } from '../../source/draft.ts'
import { invalidComment, invalidSource, issueNotAChange } from '../../source/faults.ts'
import { fetchComments, fetchEnvelope } from '../../source/fetch-envelope.ts'
import { readSection } from '../../source/read-section.ts'
import { readEnvelope, readSource, type SourceReading, toCandidate } from '../../source/read-source.ts'
import { digestCommentBody } from '../../source/revisions.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { argumentMissing, flagsConflict, flagValueInvalid } from '../faults.ts'
import { listenForInterruption } from '../interruption.ts'
import { toPrintable } from '../output/printable.ts'
import { readInput } from '../read-input.ts'

/** A sourceCandidate needs an id. This one belongs to no run, so it can never be chosen. */
const CANDIDATE_ID = 'source-check'

/** The result goes to stdout in both cases; the exit code tells a script which one it is. */
export const check: RunCommand = async (invocation) => {
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
    flags.isOn('json') ? `${writeJson(toCandidate(envelope, reading, stamp))}\n` : formatVerdict(envelope, reading),
  )
  return reading.is === 'pinned' ? 0 : 3
}

/** What the author of the issue can do. */
const FIXES: Readonly<Record<InvalidCode, string>> = {
  objective_marker: 'Use the issue of one of the changes that belong to the objective.',
  unsupported_marker: 'Correct the first line of the body.',
  change_marker_required: 'Start the body with the level marker. "drover source draft" prints one.',
  source_manifest_invalid: 'Write the body again with "drover source draft --comment URL …".',
  source_section_missing:
    'If the comment still exists, fetch the issue again. Otherwise remove the section or post it again.',
  source_section_unexpected: 'Remove the comment from the envelope, or add it to the manifest.',
  source_section_minimized: 'Unhide the comment on the page of the issue, or post it again.',
  source_section_hash_mismatch:
    'The comment was edited after the manifest was written. Post the new text as a new comment and list that in the manifest.',
  source_section_invalid: 'Correct the comment, then write the body again with "drover source draft --comment URL …".',
  source_section_too_large: 'Split the section.',
  source_bundle_too_large: 'Shorten the sections.',
  invalid_change_body: 'Run "drover source draft" for a template of the body.',
}

function formatVerdict({ canonical_url }: RawSourceEnvelope, reading: SourceReading): string {
  if (reading.is === 'rejected') {
    const error = toPrintable(reading.error)
    return `${canonical_url} cannot be pinned: ${reading.code}\n  ${error}\n  ${FIXES[reading.code]}\n`
  }
  const { source_revision, requirements_revision, sections, title } = reading.source
  const lines = [
    `${canonical_url} can be pinned: ${toPrintable(title)}`,
    `  source revision        ${source_revision}`,
    `  requirements revision  ${requirements_revision}`,
    ...sections.map(({ key, role, bytes }) => `  section ${key}${key === role ? '' : ` (${role})`}, ${bytes} bytes`),
  ]
  return `${lines.join('\n')}\n`
}

/** Larger than any valid section with its marker and blank lines. */
const COMMENT_LIMIT_BYTES = 2 * LIMITS.sectionBytes

export const digest: RunCommand = async (invocation) => {
  const body = await readSourceInput(invocation, {
    command: 'source digest',
    limitBytes: COMMENT_LIMIT_BYTES,
    parse: (bytes, name) => decodeUtf8({ bytes, source: name }),
    refuse: invalidComment,
  })
  const { out, err } = invocation.runtime.terminal
  if (readSection(body).key === undefined) {
    await err.write('drover: warning: the first line is not a section marker, so no manifest can list this comment\n')
  }
  await out.write(`${digestCommentBody(body)}\n`)
  return 0
}

type SourceInput<T> = {
  command: string
  limitBytes: number
  /** Parses the bytes; `name` is the name of the input for messages. */
  parse: (bytes: Uint8Array, name: string) => T
  /** The usage fault of the command, whatever is wrong with the input: nothing was attempted yet. */
  refuse: (facts: { problem: string }, cause: Fault) => Fault
}

/** Reads and parses the file that a `source` command is given; `-` is standard input. */
async function readSourceInput<T>({ args, runtime }: Invocation, input: SourceInput<T>): Promise<T> {
  const { command, limitBytes, parse, refuse } = input
  const [named = ''] = args
  // An empty name, as from an unset shell variable, would resolve to the working directory.
  if (named === '') throw argumentMissing({ command, name: 'file' })
  const file = named === '-' ? undefined : named
  try {
    return parse(await readInput({ runtime, file, limitBytes }), file ?? 'standard input')
  } catch (error) {
    throw error instanceof Fault ? refuse({ problem: error.message }, error) : error
  }
}

/** An issue with one of these codes is not a change at all. Other invalid issues are still written. */
const NOT_A_CHANGE: readonly InvalidCode[] = ['change_marker_required', 'objective_marker', 'unsupported_marker']

export const fetchIssue: RunCommand = async ({ args, flags, runtime }) => {
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

export const draft: RunCommand = async ({ flags, runtime }) => {
  const { env, cwd, terminal } = runtime
  const urls = flags.texts('comment')
  const [title, amends] = [flags.text('title'), flags.text('amends')]
  if (urls.length === 0) {
    if (amends !== undefined) throw argumentMissing({ command: 'source draft --amends', name: '--comment' })
    await terminal.out.write(draftBundle({ title: title ?? 'What should change' }))
    return 0
  }
  if (title !== undefined) throw flagsConflict({ flags: ['--title', '--comment'] })
  if (amends !== undefined && !isDigest(amends)) {
    const allowed = 'a digest, sha256: and 64 lowercase hexadecimal digits'
    throw flagValueInvalid({ flag: '--amends', given: amends, allowed })
  }
  const { signal } = listenForInterruption()
  const comments = await fetchComments(urls, { gh: locateGh({ env, cwd }), signal })
  await terminal.out.write(draftBody(comments, amends))
  return 0
}
