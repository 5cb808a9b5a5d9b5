import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { UsageReport } from '../../src/executions/store/usage-report.shape.ts'
import { type AgentHome, createAgentHome, hangingAgent } from '../support/agent-home.ts'
import { until } from '../support/until.ts'

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
})

async function usage(...args: string[]): Promise<UsageReport> {
  return JSON.parse((await home.drover(['usage', '--json', ...args])).stdout)
}

describe('drover usage', () => {
  it('takes an age, a word or a date as its first day', async () => {
    const day = (before: number) => new Date(Date.now() - before * 86_400_000).toISOString().slice(0, 10)
    expect(await usage('--since', '7d')).toMatchObject({ since: day(7) })
    expect(await usage('--since', 'yesterday', '--until', 'today')).toMatchObject({ since: day(1), until: day(0) })
    expect(await usage('--since', '2026-11-01')).toMatchObject({ since: '2026-11-01' })
    const { code, stderr } = await home.drover(['usage', '--since', 'last week'])
    expect(code).toBe(2)
    expect(stderr).toContain(
      '--since must be an age such as 7d, yesterday, today or a date such as 2026-01-31, not "last week"',
    )
  })

  it('shows what prompts have used and what they cost, also if nothing else is kept of them', async () => {
    const replay = join(import.meta.dirname, '../recordings/claude/tool.stream-json-partial.stdout')
    for (const more of [[], ['--ephemeral'], ['--dry-run']]) {
      await home.drover(['prompt', 'hi', ...more], { script: { replay } })
    }
    await home.drover(['prompt', 'hi', '-b', 'codex'], { script: { usage: { input: 1500, output: 20 } } })
    const { stdout, stderr, code } = await home.drover(['usage', '--by', 'backend, day'])
    const today = new Date().toISOString().slice(0, 10)
    const cell = (text: string) => text.replace(/ +/g, ' ')
    const lines = stdout.trimEnd().split('\n').map(cell)
    expect([code, stderr]).toEqual([0, ''])
    expect(lines.map((line) => line.replace(/ [\d.:]+( m?s)?$/, ''))).toEqual([
      'DAY BACKEND COUNT FAILED IN OUT COST TIME',
      expect.stringMatching(`^${today} claude 2 0 .* \\$0\\.0085$`),
      `${today} codex 1 0 1.5k 20 -`,
      expect.stringMatching(/^total 3 0 .* \$0\.0085$/),
      'COST misses 1 execution whose cost is not known.',
    ])
    expect(await usage('-b', 'claude')).toMatchObject({
      rows: [{ key: '', executions: 2 }],
      totals: { cost_usd: 0.00852 },
    })
  })

  it('counts a prompt once as lost whose process was killed, and the parts of a batch', async () => {
    writeFileSync(join(home.path, 'tasks.json'), JSON.stringify({ tasks: [{ prompt: 'one' }, { prompt: 'two' }] }))
    await home.drover(['parallel', '-f', 'tasks.json'])
    const pidFile = join(home.path, 'pids')
    const { child, ended } = home.start(['prompt', 'hi'], { script: { hangAfter: 'text', pidFile } })
    onTestFinished(() => void child.kill('SIGKILL'))
    await hangingAgent(pidFile)
    await until(async () => JSON.parse((await home.drover(['ps', '--json'])).stdout).executions.length === 1)
    child.kill('SIGKILL')
    await ended
    for (let at = 0; at < 2; at += 1) {
      expect((await usage()).totals).toMatchObject({ executions: 3, completed: 2, lost: 1 })
    }
  })

  it('says if there is nothing', async () => {
    const { stdout } = await home.drover(['usage', '--since', '2026-01-01', '--until', '2026-01-02'])
    expect(stdout).toBe('No prompt ended from 2026-01-01 to 2026-01-02.\n')
  })

  it.each([
    [
      ['--since', 'tomorrow'],
      '--since must be an age such as 7d, yesterday, today or a date such as 2026-01-31, not "tomorrow"',
    ],
    [['--until', '2026-02-30'], 'a date such as 2026-01-31, not "2026-02-30"'],
    [['--by', 'day,week'], '--by must be one or more of day,key,backend,model, not "day,week"'],
    [['--since', '2026-02-02', '--until', '2026-02-01'], 'until (2026-02-01) is before since (2026-02-02)'],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr, stdout } = await home.drover(['usage', ...flags])
    expect(stderr).toContain(message)
    expect([code === 0, stdout]).toEqual([false, ''])
  })
})
