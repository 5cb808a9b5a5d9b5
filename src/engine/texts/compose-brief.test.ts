import { describe, expect, it } from 'vitest'
import { gitObservation } from '../../../scripts/protocol-examples.ts'
import { CLEAN, changed } from '../../../test/support/drive-run.ts'
import { atKind, atWork } from '../../../test/support/run-states.ts'
import type { GitObservation } from '../../contract/git-observation.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import { digest } from '../../kit/digest.ts'
import { BRIEFS, composeBrief } from './compose-brief.ts'

const dirty: GitObservation = {
  ...gitObservation,
  path_count: 3,
  details_truncated: true,
  dirty_files: ['a\u001bb', 'gone'],
  path_observations: [
    {
      path: 'a\u001bb',
      category: 'untracked',
      state: '??',
      observation: 'symlink',
      size: 3,
      content_sha256: digest('x'),
    },
    { path: 'gone', category: 'ordinary', state: '.D', observation: 'missing' },
  ],
  snapshot_hash: digest('dirty'),
}

/** A run that started with this observation and now has another. */
const moved = (git: GitObservation) => ({ ...atWork({ git }).run, current_git: changed() })

describe('a brief', () => {
  it.each(Object.entries(BRIEFS))('for %s is far below the limit and trimmed', (_what, text) => {
    expect(Buffer.byteLength(text)).toBeLessThan(LIMITS.briefBytes / 2)
    expect(text).toBe(text.trim())
  })

  it.each(['orient', 'clarify', 'implement'] as const)('of %s is its text only', (kind) => {
    expect(composeBrief(moved(dirty), kind, ' Do it.\n')).toBe('Do it.')
  })

  it.each(['review', 'summarize'] as const)(
    'of %s lists the dirty paths at the start, if something changed',
    (kind) => {
      expect(composeBrief(atWork().run, kind, 'Do it.')).toBe('Do it.')
      expect(composeBrief(moved(dirty), kind, 'Do it.')).toBe(
        [
          'Do it.',
          '',
          'The worktree differs from its state at the start of the run. The cause of the difference is unknown: do not attribute it to this run without evidence.',
          '',
          `Dirty paths when the run started: 3, of which 2 are listed (path fingerprint ${dirty.path_fingerprint}, snapshot ${dirty.snapshot_hash})`,
          `- a\\u001bb (untracked, ??, symlink, 3 bytes, ${digest('x')})`,
          '- gone (ordinary, .D, missing)',
          '- and 1 more',
        ].join('\n'),
      )
    },
  )

  it('says if no path was dirty at the start', () => {
    expect(composeBrief(moved(CLEAN), 'review', 'Do it.')).toMatch(/No path was dirty when the run started\.$/)
  })

  it('counts no further paths if all are listed', () => {
    expect(composeBrief(moved(gitObservation), 'review', 'Do it.')).not.toContain('more')
  })

  it.each([0, 1])('is cut to its limit at a character boundary: %s bytes over', (excess) => {
    const text = `${'é'.repeat((LIMITS.briefBytes - 2) / 2)}xx${'x'.repeat(excess)}`
    const brief = composeBrief(atWork().run, 'orient', text)
    if (excess === 0) return expect(brief).toBe(text)
    const mark = `...[truncated original_bytes=${LIMITS.briefBytes + 1} sha256=${digest(text).slice(7)}]`
    const kept = Math.floor((LIMITS.briefBytes - mark.length) / 2)
    expect(brief).toBe('é'.repeat(kept) + mark)
  })

  it('of a suggested action is the suggested one', () => {
    expect(atKind('clarify').run.current_action?.brief).toBe('Go and clarify.')
  })
})
