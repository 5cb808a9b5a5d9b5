/** Random issues that drover can pin, and random texts that are almost such issues. */
import fc from 'fast-check'
import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import { makeBundle, ROLES, type SectionDraft } from './source-bundle.ts'

const CONTROLS = /[\p{Cc}]/gu
const BUT_LINE_ENDS = /[\p{Cc}--[\t\n\r]]/gv

/** Not blank, no control characters. */
const plainText = fc
  .string({ unit: 'binary', maxLength: 30 })
  .map((text) => `${text.toWellFormed().replace(CONTROLS, '')}a`)

/** Lines of anything, with line ends of every kind. */
const markdown = fc
  .array(fc.tuple(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('\n', '\r\n', '\r', '\n\n')), {
    maxLength: 6,
  })
  .map((lines) => lines.flat().join('').toWellFormed().replace(BUT_LINE_ENDS, ''))

const key = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,12}$/)

const drafts: fc.Arbitrary<SectionDraft[]> = fc
  .record({
    keys: fc.uniqueArray(key, { minLength: 5, maxLength: 9 }),
    more: fc.array(fc.constantFrom(...ROLES), { minLength: 4, maxLength: 4 }),
    titles: fc.array(plainText, { minLength: 9, maxLength: 9 }),
    texts: fc.array(markdown, { minLength: 9, maxLength: 9 }),
  })
  .chain(({ keys, more, titles, texts }) => {
    const roles = [...ROLES, ...more]
    const all = keys.map((each, at): SectionDraft => {
      return { key: each, role: roles[at] ?? 'outcome', title: titles[at] ?? 'T', text: `${texts[at]}x` }
    })
    return fc.shuffledSubarray(all, { minLength: all.length })
  })

/** Text that may stand below a manifest, some of it in code that shows a manifest. */
const trailing = fc.constantFrom(
  '',
  'Words.\n',
  '- [ ] a task\r\n- [x] another\r\n',
  '````md\n<!-- drover-level: change/v2 -->\n```drover-manifest\n{}\n```\n````\n',
  '> - ```\n>   <!-- drover-level: objective/v1 -->\n>   ```\n',
)

export function anyBundle(): fc.Arbitrary<RawSourceEnvelope> {
  return fc
    .record({
      sections: drafts,
      trailing,
      title: plainText,
      lead: fc.constantFrom('', '\n', ' \r\n\t\n'),
      lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
      isReversed: fc.boolean(),
    })
    .map(({ sections, trailing: rest, title, lead, lineEnd, isReversed }) => {
      const toBody = (draft: SectionDraft) =>
        `${lead}<!-- drover-section:v1 key=${draft.key} -->${lineEnd}${draft.text}`
      const envelope = makeBundle({ sections, trailing: rest, envelope: { title }, toBody })
      const comments = isReversed ? envelope.comments.toReversed() : envelope.comments
      return { ...envelope, comments, body: (lead + envelope.body).replaceAll('\n', lineEnd) }
    })
}

/** Random sequences of pieces of issues. */
export const nearlyBody: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['<!-- drover-level: change/v2 -->', '<!-- drover-level: objective/v1 -->', '<!-- drover-level:'],
        ...['```drover-manifest', '```', '````', '~~~', '> ', '>', '- ', '-', '2. ', '1) ', '    ', ' ', '\t', '***'],
        ...['\n', '\n', '\n', '\n\n', '\r\n', '\r', '# ', 'text', '{}', '{"manifest_version":2}', '\u0000', '\u2028'],
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join('').toWellFormed())
