import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeBundle, manifestOf, FIVE_SECTIONS as sections } from '../../test/support/source-bundle.ts'
import type { PinnedSource } from '../contract/pinned-source.shape.ts'
import type { RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import { digestMaterial } from '../kit/digest.ts'
import { readSource } from './read-source.ts'
import {
  digestCommentBody,
  digestManifest,
  digestObservation,
  digestRequirements,
  digestSection,
  digestSource,
} from './revisions.ts'

type Vector = { kind: string; name: string; input: never; bytes: string; digest: string }

const vectors: Vector[] = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../test/source/golden-digests.json'), 'utf8'),
)

const DIGESTS: Record<string, (input: never) => string> = {
  comment_body: ({ body }: { body: string }) => digestCommentBody(body),
  material: ({ text }: { text: string }) => digestMaterial(text),
  section: ({ section, text }: { section: Parameters<typeof digestSection>[0]; text: string }) =>
    digestSection(section, text),
  manifest: digestManifest,
  requirements: digestRequirements,
  source: digestSource,
  observation: digestObservation,
}

describe('a digest', () => {
  it.each(vectors)('of a $kind, $name, is the hash of exactly its bytes', ({ kind, input, bytes, digest }) => {
    const hash = createHash('sha256').update(Buffer.from(bytes, 'hex')).digest('hex')
    expect(`sha256:${hash}`).toBe(digest)
    expect(DIGESTS[kind]?.(input)).toBe(digest)
  })
})

const REVISIONS = ['source_revision', 'manifest_revision', 'requirements_revision'] as const
const { comments } = makeBundle()
const [first, ...rest] = sections
if (first === undefined) throw new Error('there are sections')

describe('which change affects which revision:', () => {
  it.each<[string, RawSourceEnvelope, readonly (typeof REVISIONS)[number][]]>([
    ['nothing', makeBundle(), []],
    ['a title', makeBundle({ envelope: { title: 'Another' } }), ['source_revision']],
    ['another repository', makeBundle({ envelope: { repository_id: 'R_other' } }), ['source_revision']],
    ['text below the manifest', makeBundle({ trailing: 'more\n' }), []],
    ['labels and times', makeBundle({ envelope: { labels: [], updated_at: '2027-01-01T00:00:00Z' } }), []],
    [
      'authors and times of comments',
      makeBundle({
        envelope: {
          comments: comments.map((each) => ({ ...each, author_id: 'U_2', updated_at: '2027-01-01T00:00:00Z' })),
        },
      }),
      [],
    ],
    [
      'another comment with the same text',
      makeBundle({
        manifest: manifestOf(
          sections,
          comments.map((each) => ({ ...each, node_id: `${each.node_id}x` })),
        ),
        envelope: { comments: comments.map((each) => ({ ...each, node_id: `${each.node_id}x` })) },
      }),
      ['source_revision', 'manifest_revision'],
    ],
    ['a text', makeBundle({ sections: [{ ...first, text: 'Other.\n' }, ...rest] }), REVISIONS],
    ['a key', makeBundle({ sections: [{ ...first, key: 'other' }, ...rest] }), REVISIONS],
    ['a section title', makeBundle({ sections: [{ ...first, title: 'Other' }, ...rest] }), REVISIONS],
    ['the order', makeBundle({ sections: [...rest, first] }), REVISIONS],
    [
      'the revision that it amends',
      makeBundle({ manifest: { parent_requirements_revision: `sha256:${'0'.repeat(64)}` } }),
      ['source_revision', 'manifest_revision'],
    ],
  ])('%s', (_name, envelope, moved) => {
    const [before, after] = [pin(makeBundle()), pin(envelope)]
    expect(REVISIONS.filter((revision) => before[revision] !== after[revision])).toEqual(moved)
  })
})

function pin(envelope: RawSourceEnvelope): PinnedSource {
  const reading = readSource(envelope)
  if (reading.is === 'rejected') throw new Error(reading.error)
  return reading.source
}
