import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { readSessionCounts } from './session-file.ts'

const ID = '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11'
const MESSAGE = '{"type":"user","text":"{\\"type\\":\\"cost-state\\",\\"totalCostUSD\\":9}"}\n'
const costs = (usd: number) =>
  `${JSON.stringify({ type: 'cost-state', totalCostUSD: usd, modelUsage: { m: { outputTokens: 5 } } })}\n`

async function countsIn(text: string, id = ID): Promise<unknown> {
  const home = temporaryDirectory()
  const directory = join(home, '.claude', 'projects', '-srv-app')
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, `${ID}.jsonl`), text)
  return await readSessionCounts(id, { env: { HOME: home }, workdir: '/srv/app' })
}

describe('readSessionCounts', () => {
  it('finds the last costs of the session, also far from the end', async () => {
    const found = { total_cost_usd: 0.25, modelUsage: { m: { outputTokens: 5 } } }
    expect(await countsIn(MESSAGE + costs(0.1) + MESSAGE + costs(0.25))).toEqual(found)
    // Claude was killed in its next turns.
    expect(await countsIn(MESSAGE + costs(0.25) + MESSAGE.repeat(2000))).toEqual(found)
  })

  it.each([
    ['of earlier releases', MESSAGE],
    ['whose end was cut off', MESSAGE + costs(0.25).slice(0, 30)],
    ['that is empty', ''],
  ])('finds none in a file %s', async (_name, text) => {
    expect(await countsIn(text)).toBeUndefined()
  })

  it('finds none without a file, and outside of the sessions', async () => {
    expect(await countsIn(MESSAGE, 'e3d1b5a0-0000-4000-8000-000000000000')).toBeUndefined()
    expect(await countsIn(MESSAGE + costs(1), `../-srv-app/${ID}`)).toBeUndefined()
  })
})
