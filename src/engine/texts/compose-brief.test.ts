import { describe, expect, it } from 'vitest'
import { gitObservation } from '../../../scripts/protocol-examples.ts'
import { CLEAN, changed } from '../../../test/support/drive-run.ts'
import { atKind, atWork } from '../../../test/support/run-states.ts'
import type { GitObservation } from '../../contract/git-observation.shape.ts'
import { LIMITS } from '../../contract/limits.ts'
import { digest } from '../../kit/digest.ts'
import { BRIEFS } from './brief-texts.ts'
import { composeBrief } from './compose-brief.ts'

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

/** A run that began here and is somewhere else now. */
const moved = (git: GitObservation) => ({ ...atWork({ git }).run, current_git: changed() })

describe('a brief', () => {
  it.each(Object.entries(BRIEFS))('for %s fits, and says so as text', (_what, words) => {
    expect(Buffer.byteLength(words)).toBeLessThan(LIMITS.briefBytes / 2)
    expect(words).toBe(words.trim())
  })

  it.each(['orient', 'clarify', 'implement'] as const)('of %s is its words', (kind) => {
    expect(composeBrief(moved(dirty), kind, ' Do it.\n')).toBe('Do it.')
  })

  it.each(['review', 'summarize'] as const)('of %s tells what was there before, if something changed', (kind) => {
    expect(composeBrief(atWork().run, kind, 'Do it.')).toBe('Do it.')
    expect(composeBrief(moved(dirty), kind, 'Do it.')).toBe(
      [
        'Do it.',
        '',
        'The worktree is not as it was when the run began. What made the difference is not known: do not take it for the work of this run without evidence.',
        '',
        `Paths that were not clean when the run began: 3, of which 2 are listed (path fingerprint ${dirty.path_fingerprint}, snapshot ${dirty.snapshot_hash})`,
        `- a\\u001bb (untracked, ??, symlink, 3 bytes, ${digest('x')})`,
        '- gone (ordinary, .D, missing)',
        '- and 1 more',
      ].join('\n'),
    )
  })

  it('says when nothing was there before', () => {
    expect(composeBrief(moved(CLEAN), 'review', 'Do it.')).toMatch(/no path differed from the last commit\.$/)
  })

  it('lists all paths without a remainder', () => {
    expect(composeBrief(moved(gitObservation), 'review', 'Do it.')).not.toContain('more')
  })

  it.each([0, 1])('is cut to its limit, in whole characters: %s bytes past it', (excess) => {
    const words = `${'é'.repeat((LIMITS.briefBytes - 2) / 2)}xx${'x'.repeat(excess)}`
    const brief = composeBrief(atWork().run, 'orient', words)
    if (excess === 0) return expect(brief).toBe(words)
    const mark = `...[truncated original_bytes=${LIMITS.briefBytes + 1} sha256=${digest(words).slice(7)}]`
    const kept = Math.floor((LIMITS.briefBytes - mark.length) / 2)
    expect(brief).toBe('é'.repeat(kept) + mark)
  })

  it('of a suggestion is what was suggested', () => {
    expect(atKind('clarify').run.current_action?.brief).toBe('Go and clarify.')
  })
})
