import { LIMITS } from '../../contract/limits.ts'
import { decodeUtf8 } from '../../kit/read-file.ts'
import { readSection } from '../../source/read-section.ts'
import { digestCommentBody } from '../../source/revisions.ts'
import type { Run } from '../command.ts'
import { readInput } from '../read-input.ts'

/** More than any comment that can be a section, with its marker and blank lines. */
const COMMENT_LIMIT_BYTES = 2 * LIMITS.sectionBytes

export const run: Run = async ({ args, world }) => {
  const [named = '-'] = args
  const bytes = await readInput(named, { world, limitBytes: COMMENT_LIMIT_BYTES })
  const body = decodeUtf8({ bytes, source: named === '-' ? 'standard input' : named })
  const { out, err } = world.terminal
  if (readSection(body).key === undefined) {
    await err.write('drover: warning: its first line is no section marker, so no manifest can name this comment\n')
  }
  await out.write(`${digestCommentBody(body)}\n`)
  return 0
}
