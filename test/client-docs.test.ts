import { expect, it } from 'vitest'
import { describeResults } from '../scripts/client-docs.ts'
import type { ClientResult } from './real/client-results.ts'

const result = (over: Partial<ClientResult>): ClientResult => ({
  ...{ client: 'one', version: '1.0.0', agent: 'claude', agent_version: '2.0.0', feature: 'chat', outcome: 'works' },
  date: '2026-01-02',
  ...over,
})

it('the table of clients names the agents on which a feature works, and why it does not on others', () => {
  const page = describeResults([
    result({}),
    result({ agent: 'gemini', date: '2026-01-01' }),
    result({ feature: 'structured' }),
    result({ feature: 'structured', agent: 'gemini', outcome: 'cannot' }),
    result({ client: 'two', version: '2.0.0' }),
    result({ client: 'two', version: '2.0.0', feature: 'tool', agent: 'gemini', outcome: 'fails' }),
  ])
  expect(page).toContain('real agents: claude 2.0.0, gemini 2.0.0.')
  expect(page).toContain('| Client | Version | chat | structured output | one call | Date |')
  expect(page).toContain('| one | 1.0.0 | all | claude [1] |  | 2026-01-01 |')
  expect(page).toContain('| two | 2.0.0 | claude [2] |  | none [3] [4] | 2026-01-02 |')
  expect(page).toMatch(/^1\. The other agents take no schema/m)
  expect(page).toContain('\n2. Not run on gemini.\n3. It fails on gemini.\n4. Not run on claude.')
})
