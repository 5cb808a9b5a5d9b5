import { LIMITS } from '../../contract/limits.ts'
import { decodeUtf8 } from '../../kit/files/read-file.ts'
import { invalidComment } from '../../source/faults.ts'
import { readSection } from '../../source/read-section.ts'
import { digestCommentBody } from '../../source/revisions.ts'
import type { RunCommand } from '../command.ts'
import { readSourceInput } from './source-input.ts'

/** Larger than any valid section with its marker and blank lines. */
const COMMENT_LIMIT_BYTES = 2 * LIMITS.sectionBytes

export const run: RunCommand = async (invocation) => {
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
