import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ComparisonPage } from '../../src/service/comparison.shape.ts'
import { type AgentHome, createAgentHome, hangingAgent } from '../support/agent-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import type { Repository } from '../support/git-repository.ts'
import { createRepository } from '../support/temporary-repository.ts'

let home: AgentHome
let repository: Repository

beforeEach(() => {
  home = createAgentHome()
  repository = createRepository()
  repository.write('a', 'one\n')
  repository.commit()
  for (const name of ['claude', 'codex']) teach(name, `echo ${name} >> a`)
})

function teach(name: string, script: string): void {
  const text = `#!/bin/sh\n[ "$1" = --version ] && exec echo 1.2.3\ncat > /dev/null\n${script}\necho "${name} is done"\n`
  writeFileSync(join(home.path, 'bin', name), text, { mode: 0o755 })
}

const KEEPING = { DROVER_DRIVE_SANDBOX: 'off' }
const NOT_KEEPING = { DROVER_DRIVE_SANDBOX: 'off', DROVER_EXECUTIONS_KEEP: 'none' }

const drover = (args: string[], env: Record<string, string> = KEEPING) =>
  home.drover(['compare', ...args], { cwd: repository.root, env })
const compare = (prompt: string, env?: Record<string, string>, ...args: string[]) =>
  drover(['--worktrees', '--backends', 'claude,codex', prompt, ...args], env)
async function list(...args: string[]): Promise<ComparisonPage> {
  return JSON.parse((await drover(['--list', '--json', ...args])).stdout)
}
const worktrees = () => {
  const directory = join(home.path, '.drover', 'worktrees')
  return existsSync(directory) ? readdirSync(directory) : []
}

describe('drover compare --list', () => {
  it('shows agents, checks and who was kept, and an id that --keep takes', async () => {
    expect((await drover(['--list'])).stdout).toContain('No comparisons are kept.')
    await compare('The first', KEEPING, '--check', 'grep -q codex a')
    await compare('The second')
    const { comparisons, has_more: hasMore } = await list()
    expect([comparisons.map((each) => each.prompt_start), hasMore]).toEqual([['The second', 'The first'], false])
    const id = comparisons[1]?.id.slice('exec_'.length, 'exec_'.length + 8) ?? ''
    expect((await drover(['--keep', 'codex', '--comparison', id])).stdout).toMatch(/^Kept codex as .*the-first-codex/)
    expect(worktrees()).toHaveLength(2)
    const [second, first] = (await list()).comparisons
    expect(second).toMatchObject({ contenders: [{ work: 'open' }, { work: 'open' }] })
    expect(first).toMatchObject({
      ...{ state: 'completed', repository: repository.root, winner: 'codex' },
      contenders: [
        { name: 'claude', state: 'completed', checks: { passed: 0, failed: 1 }, work: 'dropped' },
        { name: 'codex', state: 'completed', checks: { passed: 1, failed: 0 }, work: 'kept' },
      ],
    })
    const { stdout } = await drover(['--list', '-n', '1', '--offset', '1'])
    expect(stdout).toMatch(
      /^ID +STATE +CHECKS +WORK +AGE +PROMPT\n[0-9a-f]{8} +completed +kept codex +just now +The first\n└ claude +completed +1 of 1 failed +dropped\n└ codex +completed +1 passed +kept\n$/,
    )
    expect((await drover(['--list', '-n', '1'])).stdout).toContain('more: drover compare --list --offset 1')
    expect(first?.contenders.map(({ commit }) => commit && repository.git('cat-file', '-t', commit).trim())).toEqual([
      ...['commit', 'commit'],
    ])
    const gone = await drover(['--drop', '--comparison', id])
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringMatching(/ has no worktrees any more.*\(The second\)/) })
    expect(gone.stderr).not.toContain('/api/')
    const never = await drover(['--drop', '--comparison', 'zzzz'])
    expect(never).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no comparison "zzzz"') })
  })

  it('shows one of them with its answers and the output of failed checks', async () => {
    await compare('Show the wind', KEEPING, '--check', "sh -c 'echo no knots; grep -q codex a'")
    const id = (await list()).comparisons[0]?.id ?? ''
    const short = id.slice('exec_'.length, 'exec_'.length + 8)
    const open = await drover(['--show', short])
    expect(open).toMatchObject({ code: 0, stderr: '' })
    expect(open.stdout).toMatch(
      /^[0-9a-f]{8} completed, just now: Show the wind\n\nclaude 1\.2\.3 \(model unknown\)\nclaude is done\n[\s\S]*\ncodex is done\n/,
    )
    expect(open.stdout).toMatch(/\nclaude +completed +1 +\+1 +-0 +1 of 1 failed .* open\ncodex .* 1 passed .* open\n/)
    const times = [...open.stdout.matchAll(/^([\d.]+ m?s)(?:, |$)/gm)].map(([, time]) => time)
    expect(open.stdout).toMatch(new RegExp(`\nclaude .* ${times[0]} .*\ncodex .* ${times[1]} `))
    expect(open.stdout).toMatch(/\nclaude: sh -c .* failed with exit code 1\n {2}no knots\n/)
    for (const act of ['--diff', '--keep']) {
      expect(open.stdout).toContain(`drover compare ${act} NAME --comparison ${short}\n`)
    }
    expect((await drover(['--show', short, '--quiet'])).stdout).toBe('claude\nclaude is done\n\ncodex\ncodex is done\n')
    expect((await drover(['--keep', 'codex', '--comparison', short, '--quiet'])).stdout).toBe('')
    const kept = (await drover(['--show', short])).stdout
    expect(kept).toMatch(/\nclaude .* dropped\ncodex .* kept\n/)
    expect(kept).not.toContain('--keep NAME')
    expect((await drover(['--diff', 'claude', '--comparison', short])).stderr).toMatch(
      /has no work of claude: it was dropped; to get it back: git branch NAME [0-9a-f]{12}\n/,
    )
    expect(JSON.parse((await drover(['--show', short, '--json'])).stdout)).toMatchObject({
      ...{ id, state: 'completed', prompt: 'Show the wind', winner: 'codex' },
      contenders: [
        { agent_version: '1.2.3', worktree: { checks: [{ exit_code: 1, output: 'no knots\n' }] } },
        { work: 'kept' },
      ],
    })
    expect((await drover(['--keep', 'claude'])).stderr).toMatch(
      /\(Show the wind\), has no worktrees any more: claude was dropped; to get it back: git branch NAME [0-9a-f]{12}\n/,
    )
    const tooShort = await drover(['--show', short.slice(0, 3)])
    expect(tooShort).toMatchObject({ code: 1, stderr: expect.stringContaining('give at least 4 characters of its id') })
  })

  it.runIf(IS_FULL)('names the repository of those that are not of the current one', async () => {
    await compare('Show the wind')
    const [found] = (await list()).comparisons
    const id = found?.id ?? ''
    const elsewhere = (...args: string[]) => home.drover(['compare', ...args], { cwd: home.path })
    const { stdout } = await elsewhere('--list')
    const name = basename(repository.root)
    expect(stdout).toMatch(
      new RegExp(`^ID +STATE +CHECKS +WORK +AGE +REPOSITORY +PROMPT\\n.*just now +${name} +Show the wind\\n`),
    )
    expect((await drover(['--list'])).stdout).not.toContain('REPOSITORY')
    const asked = ['compare', '--backends', 'claude', 'Only answers']
    await home.drover(asked, { cwd: home.path, env: { ...KEEPING, DROVER_EXECUTIONS_KEEP: 'results' } })
    expect((await drover(['--list', '-n', '1'])).stdout).toMatch(new RegExp(` ${basename(home.path)} +Only answers\\n`))
    const kept = await elsewhere('--keep', 'codex', '--comparison', id)
    expect(kept.stdout).toMatch(
      new RegExp(`: git -C ${repository.root} merge drover/show-the-wind-codex-[0-9a-f]{8}\\n`),
    )
    expect(kept.stdout).toContain(`git -C ${repository.root} branch NAME `)
  })

  it.runIf(IS_FULL)('keeps no work of an earlier comparison when the last one has none any more', async () => {
    await compare('The first')
    await compare('The second')
    expect((await drover(['--drop'])).stdout).toMatch(/^Dropped claude[\s\S]*the comparison [0-9a-f]{8}: The second\n$/)
    for (const act of [['--keep', 'codex'], ['--drop']]) {
      const refused = await drover(act)
      expect(refused).toMatchObject({ code: 1, stdout: '' })
      expect(refused.stderr).toMatch(/the last .*\(The second\), has no worktrees .*: [0-9a-f]{8} \(The first\)/)
    }
    const { stderr } = await drover(['--drop', '--json'])
    expect(JSON.parse(stderr)).toMatchObject({ error: 'comparison_over', details: { is_last: true } })
    expect(worktrees()).toHaveLength(2)
    const [, first] = (await list()).comparisons
    const kept = await drover(['--keep', 'codex', '--comparison', first?.id ?? ''])
    expect(kept.stdout).toMatch(/^Kept codex[\s\S]*git merge drover\/the-first-codex[\s\S]*: The first\n$/)
  })

  it.runIf(IS_FULL)('finds comparisons of which only the worktrees are kept', async () => {
    await compare('Nothing is stored', NOT_KEEPING)
    const [found] = (await list()).comparisons
    expect(found).toEqual({
      id: expect.stringMatching(/^exec_[0-9a-f]{24}$/),
      created_at: expect.any(String),
      repository: repository.root,
      prompt_start: 'Nothing is stored',
      contenders: [
        { name: 'claude', work: 'open' },
        { name: 'codex', work: 'open' },
      ],
    })
    const { stdout } = await drover(['--list'])
    expect(stdout).toMatch(/\n└ claude +- +- +open\n/)
    expect(stdout).toContain('only worktrees are kept')
    expect(await drover(['--drop', '--comparison', found?.id ?? ''])).toMatchObject({ code: 0 })
    expect((await list()).comparisons).toEqual([])
  })

  it('shows the work that a killed comparison has left, and what became of it', async () => {
    const pidFile = join(home.path, 'pids')
    home.teach('codex', { hangAfter: 'init', pidFile })
    const args = ['compare', '--worktrees', '--backends', 'claude,codex', 'Cut off']
    const { child, ended } = home.start(args, { cwd: repository.root, env: KEEPING })
    const agent = await hangingAgent(pidFile)
    child.kill('SIGKILL')
    await ended
    process.kill(agent, 'SIGKILL')
    const [found] = (await list()).comparisons
    expect(found).toMatchObject({ state: 'lost', contenders: [{ work: 'open' }, { state: 'lost', work: 'open' }] })
    const diff = async () => (await drover(['--diff', 'claude'])).stdout
    const open = await diff()
    expect(open).toContain('+claude')
    await drover(['--keep', 'claude', '--comparison', found?.id ?? ''])
    expect(await diff()).toBe(open)
    const shown = JSON.parse((await drover(['--show', found?.id ?? '', '--json'])).stdout)
    expect(shown.contenders[0].worktree.branch).toMatch(/^drover\/cut-off-claude-[0-9a-f]{8}$/)
    expect((await list()).comparisons).toMatchObject([
      { winner: 'claude', contenders: [{ work: 'kept' }, { work: 'dropped' }] },
    ])
  })

  it.runIf(IS_FULL)('is named with its checks by the log of one of its agents', async () => {
    await compare('Show the wind', KEEPING, '--check', 'grep -q codex a')
    const { executions } = JSON.parse((await home.drover(['ps', '--all', '--json'])).stdout)
    type Row = { id: string; kind: string; backend?: string }
    const idOf = (wanted: string) => executions.find(({ kind, backend }: Row) => (backend ?? kind) === wanted).id
    const logOf = async (name: string, ...args: string[]) => (await home.drover(['logs', idOf(name), ...args])).stderr
    const short = idOf('compare').slice('exec_'.length, 'exec_'.length + 8)
    expect(await logOf('codex')).toContain(`codex in the comparison ${short}; checks: 1 passed; its work: open\n`)
    expect(await logOf('compare')).toMatch(/claude in the comparison .*; checks: 1 of 1 failed; its work: open\n/)
    expect(await logOf('codex', '--json')).not.toContain('in the comparison')
  })

  it.each([
    [['--list', '--worktrees'], '--list and --worktrees cannot be used together'],
    [['--list', '--keep', 'codex'], '--list and --keep cannot be used together'],
    [['--diff', 'codex', '--keep', 'codex'], '--diff and --keep cannot be used together'],
    [['--list', '--diff', 'codex'], '--list and --diff cannot be used together'],
    [['--list', '--show', '3f2a9c1b'], '--list and --show cannot be used together'],
    [['--show', '3f2a9c1b', '--keep', 'codex'], '--show and --keep cannot be used together'],
    [['--show', '3f2a9c1b', 'hello there'], 'does not accept the argument'],
    [['hello there', '--comparison', '3f2a9c1b'], 'to see it: --show 3f2a9c1b'],
    [['--list', '--drop'], '--list and --drop cannot be used together'],
    [['--list', 'hello there'], 'does not accept the argument'],
    [['hello there', '--limit', '3'], '--limit needs --list'],
    [['hello there', '--comparison', '3f2a9c1b'], '--comparison needs --diff, --keep or --drop'],
    [
      ['x', '--worktrees', '--keep', 'a', '--comparison', '3f2a'],
      '--comparison and --worktrees cannot be used together',
    ],
    [['--list', '-n', '101'], '100'],
    [['--list', '--offset', '10001'], '10000'],
  ])('refuses %j', async (args, sentence) => {
    expect(await drover(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) })
  })

  it('has at most 100 on a page, after at most 10,000', async () => {
    expect(await list('-n', '100', '--offset', '10000')).toMatchObject({ limit: 100, offset: 10_000, has_more: false })
  })
})
