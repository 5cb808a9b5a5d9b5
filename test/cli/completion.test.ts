import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { firstOf } from '../support/full-counts.ts'
import { hasTerminals } from '../support/on-terminal.ts'
import { DROVER, runDrover } from '../support/run-drover.ts'
import { createRunFixture } from '../support/run-fixture.ts'
import { until } from '../support/until.ts'

describe('drover complete-words', () => {
  it.each([
    ['commands', ['conf'], ['config']],
    ['subcommands', ['config', 's'], ['show', 'set']],
    ['flags of a command', ['config', 'show', '--j'], ['--json']],
    ['flags of drover and of a bare prompt', ['--ve'], ['--verbose', '--version']],
    ['choices of a flag', ['-b', 'c'], ['claude', 'codex']],
    ['choices of a flag joined by =', ['--backend=c'], ['--backend=claude', '--backend=codex']],
    ['subcommands behind a flag with a value', ['--config', 'x', 'config', 's'], ['show', 'set']],
    ['choices of an argument', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['config keys', ['config', 'get', 'server.po'], ['server.port']],
    ['nothing where a file may stand', ['config', 'show', '--config', ''], []],
    ['nothing after the last argument', ['config', 'get', 'server.port', ''], []],
  ])('offers %s', async (_name, typed, words) => {
    const { stdout } = await runDrover(['complete-words', '--', ...typed])
    const offered = stdout.split('\n').filter(Boolean)
    expect(offered.map((line) => line.split('\t')[0])).toEqual(words)
  })
})

/** How each shell starts without anybody's settings, and what turns completion on in it. */
const SHELLS = [
  { shell: 'bash', start: 'bash --norc --noprofile -i', enable: 'source <(drover completion bash)' },
  {
    shell: 'zsh',
    start: 'zsh -f -i',
    enable: 'source <(drover completion zsh)',
  },
  { shell: 'fish', start: 'fish --no-config -i', enable: 'drover completion fish | source' },
]

/** A repository with a run and some files, where `drover` completes, and otherwise notes what it was called with. */
async function openShell(start: string, enable: string) {
  const fixture = createRunFixture()
  const { run_id } = await fixture.state(['run', '--json', 'A goal'])
  for (const name of ['tasks.yaml', 'with space.yaml', 'other.yaml']) fixture.write(name, '')
  const notes = fixture.file('notes', '')
  const completes = `exec '${process.execPath}' '${DROVER}' "$@"`
  const shim = `case "$1" in completion|complete-words) ${completes};; esac; { printf '%s|' "$@"; echo; } >>'${notes}'`
  chmodSync(fixture.file('drover', `#!/bin/sh\n${shim}\n`), 0o755)
  const env = { ...fixture.env, PATH: `${fixture.scratch}:${fixture.env.PATH}`, TERM: 'xterm' }
  const child = spawn('script', ['-qec', start, '/dev/null'], { cwd: fixture.root, env })
  onTestFinished(() => void child.kill())
  let [seen, noted] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text
  })
  /** Types keys and the end of a line, and waits for the command that becomes of it. */
  const type = async (keys: string): Promise<string | undefined> => {
    child.stdin.write(`${keys}\r`)
    noted += 1
    return await until(() => readFileSync(notes, 'utf8').split('\n').slice(0, -1)[noted - 1])
  }
  await type(`${enable}; drover ready`)
  return { runId: run_id, type, seen: () => seen }
}

describe.each(firstOf(SHELLS))('drover completion $shell', ({ shell, start, enable }) => {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0

  it('completes the word before Tab in a real shell', { timeout: 60_000 }, async ({ skip }) => {
    skip(!isInstalled, `there is no ${shell} here`)
    skip(!hasTerminals, 'there is no program script here')
    const { runId, type, seen } = await openShell(start, enable)
    const cases = {
      conf: 'config|',
      'config sh': 'config|show|',
      'status --wat': 'status|--watch|',
      'status ': `status|${runId}|`,
      'config get server.po': 'config|get|server.port|',
      '-b cl': '-b|claude|',
      '--backend=cl': '--backend=claude|',
      'parallel ta': 'parallel|tasks.yaml|',
      'parallel wi': 'parallel|with space.yaml|',
      '--config oth': '--config|other.yaml|',
      '--config=oth': '--config=other.yaml|',
    }
    const completed: Record<string, string | undefined> = {}
    for (const typed of Object.keys(cases)) completed[typed] = await type(`drover ${typed}\t`)
    expect(completed).toEqual(cases)
    expect(await type('drover -b c\tl\t')).toBe('-b|claude|')
    expect(seen(), 'nothing is explained by itself').not.toContain('-- claude')
  })
})
