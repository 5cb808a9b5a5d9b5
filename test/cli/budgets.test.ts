import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createAgentHome } from '../support/agent-home.ts'
import { copyEmptyStore } from '../support/empty-store.ts'
import { CAN_MOUNT, fill, withSmallDisk } from '../support/small-disk.ts'

const SCRIPT = { text: ['Hi'], usage: { input: 1500, output: 20 } }
const KEY = { name: 'ci', sha256: 'a'.repeat(64), budgets: ['20usd/day'] }

function createHome(config: object) {
  const home = createAgentHome()
  writeFileSync(join(home.path, '.drover', 'config.yaml'), JSON.stringify(config))
  return home
}

describe('drover budgets', () => {
  it('shows what was used of each budget as a table, and says how to add one', async () => {
    const budgets = [
      { limit: '2Mtokens/once' },
      { limit: '1requests/month', repository: '/srv/app' },
      { limit: '0.05usd/week', label: 'drover' },
    ]
    const home = createHome({
      budgets,
      server: { keys: [KEY, { ...KEY, name: 'old', sha256: 'b'.repeat(64), expires_at: '2020-01-01T00:00:00Z' }] },
    })
    await home.drover(['prompt', 'hi', '-b', 'codex'], { script: SCRIPT })
    const { code, stdout, stderr } = await home.drover(['budgets'])
    expect([code, stderr]).toEqual([0, ''])
    const time = String.raw`\d{4}-\d\d-\d\dT00:00:00Z`
    expect(stdout).toMatch(
      new RegExp(
        [
          'FOR                      LIMIT                      USED          RESERVED  RESETS',
          'all prompts              2,000,000 tokens in total  1,520 tokens  -         never',
          String.raw`the key ci               \$20\.00 per day             \$0\.00         -         ${time}`,
          String.raw`the label drover         \$0\.0500 per week           \$0\.00         -         ${time}`,
          `the repository /srv/app  1 request per month        0 requests    -         ${time}`,
        ].join('\n'),
      ),
    )
    const none = await createHome({}).drover(['budgets'])
    expect(none).toEqual({ code: 0, stderr: '', stdout: expect.stringContaining('There are no budgets.') })
  })

  it.each([
    ['two places', { limit: '1usd/day', key: 'ci', label: 'drover' }, 'at most one of key, repository and label'],
    ['a relative path', { limit: '1usd/day', repository: 'app' }, 'budgets[0].repository must be an absolute path'],
    ['an unknown unit', { limit: '1eur/day' }, '20usd/day'],
    ['an unknown member', { limit: '1usd/day', team: 'a' }, 'team'],
  ])('is refused with %s in the settings', async (_, entry, expected) => {
    const { code, stdout, stderr } = await createHome({ budgets: [entry] }).drover(['budgets'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(expected)
  })
})

it.skipIf(!CAN_MOUNT)('a prompt under a budget is refused on a full disk, before an agent starts', async () => {
  await withSmallDisk(async (disk) => {
    const home = createHome({})
    const place = join(disk, 'drover')
    mkdirSync(place, { mode: 0o700 })
    writeFileSync(join(place, 'config.yaml'), JSON.stringify({ budgets: [{ limit: '9requests/once' }] }))
    copyEmptyStore(join(place, 'sessions.db'))
    const pidFile = join(home.path, 'pids')
    const ask = () => home.drover(['prompt', 'hi'], { script: { ...SCRIPT, pidFile }, env: { DROVER_HOME: place } })
    fill(join(disk, 'filling'))
    const { code, stdout, stderr } = await ask()
    expect([code, stdout, existsSync(pidFile)]).toEqual([1, '', false])
    expect(stderr).toMatch(/full|no space/i)
  })
})
