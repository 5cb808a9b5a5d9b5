/** Three servers, each a process, spend one budget. src/executions/store/budget-store.test.ts has the same in one process. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { BudgetList } from '../src/prompts/budget-list.shape.ts'
import { IS_FULL } from './support/full-counts.ts'
import { createPostgresDatabase, POSTGRES_PROGRAMS, runSql } from './support/postgres.ts'
import { temporaryDirectory } from './support/run-drover.ts'
import { portOf, serveDrover } from './support/serve-drover.ts'

const [SERVERS, AT_ONCE, PROMPTS, COST] = [3, 4, 1000, 0.03]

const CLAUDE = `#!/bin/sh
case "$*" in *--version*) echo '2.0.0 (Claude Code)'; exit 0 ;; esac
cat > /dev/null
echo '{"type":"system","subtype":"init","session_id":"0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11","model":"m"}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"x","total_cost_usd":${COST},"usage":{"input_tokens":9,"output_tokens":1},"session_id":"0b4c5a3e-8d70-4b8e-9a53-1d3c6a0f4b11"}'
`

/** A server with agents. */
async function start(url: string, machine: string): Promise<string> {
  const home = temporaryDirectory()
  mkdirSync(join(home, '.drover'), { mode: 0o700 })
  const command = join(home, 'claude')
  writeFileSync(command, CLAUDE, { mode: 0o755 })
  const server = { max_concurrent_runs: AT_ONCE, max_queued_runs: PROMPTS, max_open_requests_per_key: PROMPTS }
  const config = { budgets: [{ limit: '1usd/day' }], backends: { claude: { command } }, server }
  writeFileSync(join(home, '.drover', 'config.yaml'), JSON.stringify(config))
  const env = {
    HOME: home,
    PATH: '/usr/bin:/bin',
    DROVER_STORE_URL: url,
    DROVER_STORE_MACHINE: machine,
    DROVER_SERVER_LOCAL_SOCKET: 'false',
  }
  return `http://127.0.0.1:${await portOf(serveDrover(['--port', '0'], env))}`
}

it.runIf(IS_FULL && POSTGRES_PROGRAMS !== undefined)(
  'a budget that many requests spend at three servers is overshot by at most one prompt of each agent',
  { timeout: 600_000 },
  async () => {
    const url = await createPostgresDatabase()
    const servers = await Promise.all(Array.from({ length: SERVERS }, (_, at) => start(url, `machine-${at}`)))
    const statuses = new Map<number, number>()
    const ask = async (index: number) => {
      const body = JSON.stringify({ backend: 'claude', prompt: 'hi', ephemeral: true })
      const headers = { 'content-type': 'application/json' }
      const { status } = await fetch(`${servers[index % SERVERS]}/api/v1/prompt`, { method: 'POST', body, headers })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    await Promise.all(Array.from({ length: PROMPTS }, (_, index) => ask(index)))
    const lists = await Promise.all(
      servers.map(async (server) => (await (await fetch(`${server}/api/v1/budgets`)).json()) as BudgetList),
    )
    const [{ used = 0, reserved = 1 } = {}] = lists[0]?.budgets ?? []
    for (const list of lists) expect(list).toEqual(lists[0])
    expect(reserved).toBe(0)
    expect(used).toBeCloseTo((statuses.get(200) ?? 0) * COST, 6)
    expect(used).toBeLessThanOrEqual(1 + SERVERS * AT_ONCE * COST)
    expect([...statuses.keys()].filter((status) => ![200, 402, 429].includes(status))).toEqual([])
    const [row] = await runSql(url, 'SELECT sum(cost_usd) AS cost FROM usage')
    expect(Number(row?.['cost'])).toBeCloseTo(used, 6)
  },
)
