/** Setups, checks and agents of driven runs and comparisons attack everything around them. Inside they get nothing, and it is reported. */
import { readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { createDrivenHome, HONEST, runIdIn } from '../support/driven-home.ts'
import {
  ATTACKS,
  CALLS,
  describeVictim,
  findDaemons,
  OUTER_VARIABLES,
  plantCanaries,
  plantProgram,
  type Servers,
  startCanaryServers,
} from '../support/escape-victim.ts'
import { temporaryDirectoryForAll } from '../support/run-drover.ts'
import { hasSandbox, skipWithoutSandbox } from '../support/sandbox.ts'

const scratch = realpathSync(temporaryDirectoryForAll())
let servers: Servers | undefined
afterAll(() => servers?.close())

type Results = Readonly<Record<string, unknown>>
const EPERM = 1

/** A repository whose script attacks, and notes what it got. */
function createVictim(name: string, sandbox: 'on' | 'off', around: Servers) {
  const driving = createDrivenHome(
    join(scratch, name),
    { implement: [{ ...HONEST, runsAfter: ['sh attack.sh agent 2>&1'] }] },
    { sandbox },
  )
  const { repository, home, env } = driving
  const outside = join(scratch, name, 'outside')
  const { where } = plantCanaries({ home, droverHome: join(home, '.drover'), outside, repository }, around)
  const daemon = `${name}-${process.pid}`
  const facts = { ...around.places, ...where, calls: plantProgram(repository.root), daemon }
  repository.write('facts.json', JSON.stringify(facts))
  // Outside it would break the run.
  if (sandbox === 'on') repository.write('leave.json', JSON.stringify({ ...facts, leaves: true }))
  const node = `'${process.execPath}' escape.mjs`
  const attack = `${node} "$(cat facts.json)" > "$1.out"; test ! -f leave.json || ${node} "$(cat leave.json)"`
  repository.write('attack.sh', `${attack}\ncurl -s "https://$1.invalid"\ntouch /etc/"$1"\ntrue\n`)
  repository.commit()
  Object.assign(env, OUTER_VARIABLES, { DROVER_SERVER_WEBHOOK_SECRET_FILE: where.secret })
  if (sandbox === 'on') allowReading(home, dirname(where.secret))
  const call = (...args: string[]) => callMain(args, { cwd: repository.root, env, homeDirectory: home })
  const read = (root: string, each: string): Results => JSON.parse(readFileSync(join(root, `${each}.out`), 'utf8'))
  const leftIn = () => readdirSync(outside).filter((name) => ['message', 'log', 'index'].includes(name))
  return { ...driving, call, read, daemons: () => findDaemons(daemon), leftIn }
}

/** Besides what the scripted agents need. */
function allowReading(home: string, directory: string): void {
  const file = join(home, '.drover', 'config.yaml')
  const config = JSON.parse(readFileSync(file, 'utf8'))
  config.sandbox.read.push(directory)
  writeFileSync(file, JSON.stringify(config))
}

/** Drives a run with these commands as setup and check. */
async function driveAttacks(victim: ReturnType<typeof createVictim>, by: readonly ('setup' | 'check' | 'agent')[]) {
  const words = by.flatMap((each) => (each === 'agent' ? [] : [`--${each}`, `sh attack.sh ${each}`]))
  const ends = ['--baseline', 'skip', '--deliver', 'none', '--no-review', '--rounds', '0']
  const ran = await victim.call('drive', 'Show the wind in knots', ...words, ...ends)
  const root = /Worktree (.+)/.exec(ran.stdout)?.[1] ?? ''
  return { ...ran, results: by.map((each) => victim.read(root, each)) }
}

/** Compares one agent, which attacks like the setup and the check. Returns the report, and what each of them got. */
async function compareAttacks(victim: ReturnType<typeof createVictim>) {
  const program = `#!/bin/sh\ncat > /dev/null\nsh attack.sh agent > /dev/null 2>&1\necho two > changed\necho done\n`
  writeFileSync(join(victim.scratch, 'bin', 'claude'), program, { mode: 0o755 })
  // The setup of the driven run would not run again: what it made is kept.
  const words = ['--setup', 'sh attack.sh prepare', '--check', 'sh attack.sh check']
  const inside = ['--worktrees', '--sandbox', '--approval', 'sandboxed', '--json']
  const { stdout, stderr } = await victim.call('compare', '--backends', 'claude', 'Show the wind', ...inside, ...words)
  if (stdout === '') throw new Error(stderr)
  const [compared] = JSON.parse(stdout).results
  return { compared, results: ['agent', 'prepare', 'check'].map((each) => victim.read(compared.worktree.path, each)) }
}

describe('a driven run or a comparison', () => {
  let inside: readonly Results[] = []
  let outside: Results = {}
  const seen = { before: '', after: '', report: '', daemons: [0], left: ['?'] }
  let compared: { boundary?: unknown; worktree?: { boundary?: unknown } } = {}

  beforeAll(async () => {
    if (!hasSandbox) return
    servers = await startCanaryServers()
    const open = createVictim('open', 'off', servers)
    outside = (await driveAttacks(open, ['setup'])).results[0] ?? {}
    for (const pid of open.daemons()) process.kill(pid, 'SIGKILL')
    const closed = createVictim('closed', 'on', servers)
    seen.before = describeOthers(closed)
    const { results, stdout } = await driveAttacks(closed, ['setup', 'check', 'agent'])
    const comparison = await compareAttacks(closed)
    compared = comparison.compared
    seen.daemons = closed.daemons()
    seen.left = closed.leftIn()
    seen.after = describeOthers(closed)
    seen.report = (await closed.call('report', runIdIn(stdout))).stdout
    inside = [...results, ...comparison.results]
  }, 120_000)
  beforeEach(skipWithoutSandbox)

  it.each(ATTACKS)('does not let its commands and agents get: %s', (attack) => {
    expect(outside[attack]).toBe(true)
    for (const results of inside) expect(results[attack]).toEqual(expect.any(String))
  })

  it.each(Object.keys(CALLS))('does not let its commands and agents get: %s', (call) => {
    expect(outside[call]).toBe(0)
    for (const results of inside) expect(results[call]).toBe(EPERM)
  })

  it('reports what they were refused, as far as it can be seen', () => {
    expect(seen.report).toContain('## Boundary\n\nEnforced by bubblewrap around agents, checks and setups.')
    for (const each of ['setup', 'check', 'agent']) {
      expect(seen.report).toContain(`| \`${each}.invalid:443\` | not listed | 1 | ${each} |`)
      expect(seen.report).toContain(`| \`/etc/${each}\` | not writable, as printed |  | ${each} |`)
    }
  })

  it('shows what its commands and its agent were refused beside the agent', () => {
    expect(inside).toHaveLength(6)
    const refused = (each: string) => expect.objectContaining({ host: `${each}.invalid:443`, reason: 'not listed' })
    expect(compared.boundary).toMatchObject({ refused: [refused('agent')] })
    expect(compared.worktree?.boundary).toMatchObject({ refused: [refused('prepare'), refused('check')] })
  })

  it('leaves nothing but its own worktree and branch changed, and no process', () => {
    expect(seen.before).toContain('refs/heads/drover/two')
    expect(seen.after).toBe(seen.before)
    expect(seen.daemons).toEqual([])
    // drover has committed since, through what they left.
    expect(seen.left).toEqual([])
  })
})

function describeOthers({ repository }: ReturnType<typeof createVictim>): string {
  const lines = describeVictim(repository).split('\n')
  return lines.filter((line) => !line.includes('drover/show-the-wind')).join('\n')
}
