import { describe, expect, it } from 'vitest'
import type { SessionTurn } from '../../executions/session-turn.shape.ts'
import { writeIndentedJson } from '../../kit/json/write-json.ts'
import type { Session } from '../../sessions/session.shape.ts'
import { EXPORTS, type ExportFormat } from './export.ts'

const SESSION: Session = {
  id: '3f2a9c1b00000000000000000000abcd',
  backend: 'codex',
  status: 'error',
  created_at: '2026-01-30T10:00:00.000Z',
  last_used: '2026-01-31T10:00:00.000Z',
  working_dir: '/srv/a',
  initial_prompt: 'one\ntwo',
  turn_count: 1,
  token_usage: { input_tokens: 1, output_tokens: 2, cached_tokens: 0, reasoning_tokens: 0 },
  tags: [],
  error_message: 'a `tick`',
  metadata: { wide: 12345678901234567890n },
  policy: { approval_mode: 'auto', sandbox_mode: 'read-only', extra: [] },
}
const AT = '2026-01-31T12:00:00.000Z'

type Exported = Session & { turns?: SessionTurn[] }

function exported(format: ExportFormat, ...sessions: Exported[]): string {
  const { head, session: toText, turn, sessionEnd, foot } = EXPORTS[format]
  const texts = sessions.flatMap(({ turns = [], ...session }, at) => [
    toText(session, at),
    ...turns.map((each, number) => turn(each, number, session)),
    sessionEnd(turns.length),
  ])
  return [head(AT), ...texts, foot(sessions.length)].join('')
}

const TURN: SessionTurn = {
  execution_id: 'exec_000000000000000000000001',
  state: 'failed',
  created_at: AT,
  duration_ms: 1500,
  prompt: 'one\ntwo',
  answer: 'A ```fence```.',
  tools: [{ name: 'Bash', input: 'ls `pwd`' }],
  error: 'it broke',
}
const TALK: Exported = { ...SESSION, turns: [TURN, TURN] }

describe('exported sessions', () => {
  it('contain all fields as JSON', () => {
    const text = exported('json', SESSION)
    expect(text).toContain('"wide": 12345678901234567890')
    expect(JSON.parse(text)).toMatchObject({ exported_at: AT, sessions: [{ id: SESSION.id }] })
  })

  it.each([[[]], [[SESSION]], [[SESSION, SESSION]], [[TALK]], [[SESSION, TALK, SESSION]]])(
    'have the usual indentation as JSON',
    (sessions) => {
      expect(exported('json', ...sessions)).toBe(`${writeIndentedJson({ exported_at: AT, sessions })}\n`)
    },
  )

  it('may have any number of backticks', () => {
    const prompt = '` '.repeat(300_000)
    expect(exported('markdown', { ...SESSION, initial_prompt: prompt })).toContain(prompt)
  })

  it('are one per line as JSON lines', () => {
    const lines = exported('jsonl', SESSION, SESSION).split('\n')
    expect(lines).toHaveLength(3)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ id: SESSION.id })
    expect(JSON.parse(exported('jsonl', TALK))).toMatchObject({ id: SESSION.id, turns: [TURN, TURN] })
  })

  it('have a part for each turn in Markdown', () => {
    expect(exported('markdown', { ...SESSION, turns: [TURN] })).toContain(`### Turn 1

\`failed · 2026-01-31T12:00:00.000Z · 1.5 s\`

\`\`\`text
one
two
\`\`\`

- \`\` → Bash ls \`pwd\` \`\`

Answer:

\`\`\`\`text
A \`\`\`fence\`\`\`.
\`\`\`\`

Error: \`it broke\`
`)
  })

  it('show control characters as escapes in Markdown', () => {
    const session = { ...SESSION, initial_prompt: 'a\u001b]0;x\u0007\n\tb', error_message: 'no\u001b[2J' }
    const text = exported('markdown', session)
    expect(text).toContain('```text\na\\x1b]0;x\\x07\n\tb\n```')
    expect(text).toContain('- last error: `no\\x1b[2J`')
  })

  it('have one section each in Markdown', () => {
    expect(exported('markdown', { ...SESSION, title: 'a_b <c>' })).toBe(`# Sessions

Exported 2026-01-31T12:00:00.000Z.

## a\\_b \\<c\\>

- id: \`3f2a9c1b00000000000000000000abcd\`
- backend: \`codex\`
- status: \`error\`
- directory: \`/srv/a\`
- created: \`2026-01-30T10:00:00.000Z\`
- last used: \`2026-01-31T10:00:00.000Z\`
- turns: \`1\`
- tokens: \`1 in (0 cached), 2 out (0 reasoning)\`
- allowed: \`approval auto, sandbox read-only\`
- last error: \`\` a \`tick\` \`\`
- metadata: \`{"wide":12345678901234567890}\`

\`\`\`text
one
two
\`\`\`
`)
  })
})
