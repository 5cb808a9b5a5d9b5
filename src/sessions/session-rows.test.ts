import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NATIVE_BACKENDS } from '../agents/adapter/agent.ts'
import type { Session } from './session.shape.ts'
import {
  asSessionRow,
  foldText,
  readStoreFields,
  type StoreFields,
  toColumns,
  toSearchText,
  toSession,
} from './session-rows.ts'
import { SESSION_STATUSES } from './session-statuses.ts'

const text = fc.string({ unit: 'grapheme' })
const count = fc.nat()
const usage = fc.record({ input_tokens: count, output_tokens: count, cached_tokens: count, reasoning_tokens: count })
const metadata = fc.dictionary(
  text.filter((key) => key !== '__proto__'),
  fc.oneof(text, fc.boolean(), fc.integer(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }), fc.array(text)),
)

const session: fc.Arbitrary<Session> = fc.record(
  {
    id: text,
    backend: fc.constantFrom(...NATIVE_BACKENDS),
    status: fc.constantFrom(...SESSION_STATUSES),
    created_at: text,
    last_used: text,
    working_dir: text,
    backend_session_id: text,
    model: text,
    system_prompt: text,
    initial_prompt: text,
    turn_count: count,
    token_usage: usage,
    tags: fc.array(text),
    title: text,
    parent_id: text,
    api_key: text,
    shared: fc.constant(true as const),
    error_message: text,
    metadata,
    policy: fc.record({
      approval_mode: fc.constantFrom('default' as const, 'auto' as const),
      sandbox_mode: fc.constantFrom('default' as const, 'full' as const),
      extra: fc.array(text),
    }),
  },
  {
    requiredKeys: [
      'id',
      'backend',
      'status',
      'created_at',
      'last_used',
      'working_dir',
      'initial_prompt',
      'turn_count',
      'token_usage',
      'tags',
      'metadata',
      'policy',
    ],
  },
)
const storeFields: fc.Arbitrary<StoreFields> = fc.record({
  keyId: text,
  owner: fc.option(text),
  threadUsage: fc.option(usage, { nil: undefined }),
})

describe('a session', () => {
  it('survives the round trip through a row', () => {
    fc.assert(
      fc.property(session, storeFields, (before, fields) => {
        const row = asSessionRow({ number: 1, ...toColumns(before, fields) } as Parameters<typeof asSessionRow>[0])
        expect(toSession(row)).toEqual(before)
        expect(Object.keys(toSession(row)).toSorted()).toEqual(Object.keys(before).toSorted())
        expect(readStoreFields(row)).toEqual(fields)
      }),
    )
  })
})

describe('foldText', () => {
  it.each([
    ['Äpfel', 'äpfel'],
    ['A\u0308pfel', 'äpfel'],
    ['ΑΒΓ', 'αβγ'],
    ['漢字', '漢字'],
  ])('turns %s into %s', (text, folded) => expect(foldText(text)).toBe(folded))
})

describe('toSearchText', () => {
  it('returns the title and the first 4,000 characters of the prompt', () => {
    expect(toSearchText({ title: 'A Title', initial_prompt: `${'x'.repeat(3_999)}Yz` })).toBe(
      `a title\n${'x'.repeat(3_999)}y`,
    )
    expect(toSearchText({ initial_prompt: 'Hello' })).toBe('\nhello')
  })
})
