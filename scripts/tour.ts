/** The terminal recording of the README: real commands in a real terminal, with the built-in demo agent. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What the terminal printed, and how many milliseconds after the start. */
export type Output = { at: number; text: string }

/** What is typed at the shell, and at the questions of a command. */
type Scene = { line: string; answers?: readonly { to: string; text: string }[] }

export const SIZE = { columns: 100, rows: 30 }

export const SCENES: readonly Scene[] = [
  { line: 'drover --demo "what is a shepherd?"' },
  { line: 'drover compare --demo "tabs or spaces?"' },
  {
    line: 'drover drive --demo --goal-file issue.md --check "test -s wind.txt"',
    answers: [{ to: 'Answer (', text: 'Rounded.' }],
  },
  { line: 'drover report | grep -A 6 "^## Evidence"' },
]

const ISSUE = '# Show the wind in knots\n\nPilots read knots. Rounded or exact: ask me.\n'
const DROVER = join(import.meta.dirname, '..', 'bin', 'drover.cjs')
/** The shell prints it before each prompt. A terminal does not show it. */
const READY = '\u001b]133;A\u0007'
const KEY_MS = 35
const READING_MS = 1500
const DEADLINE_MS = 60_000

export async function recordTour(): Promise<Output[]> {
  const home = mkdtempSync(join(tmpdir(), 'drover-tour-'))
  try {
    return await record(home, createProject(home))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function record(home: string, project: string): Promise<Output[]> {
  // PATH has no agents.
  const env = {
    PATH: `${join(home, 'bin')}:/usr/bin:/bin`,
    HOME: home,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    DEMO_AGENT_WORD_MS: '60',
    PS1: `\\[${READY}\\]\\[\u001b[32m\\]$\\[\u001b[0m\\] `,
  }
  const shell = `stty cols ${SIZE.columns} rows ${SIZE.rows}; exec bash --norc --noprofile -i`
  const child = spawn('script', ['-qec', shell, '/dev/null'], { cwd: project, env })
  const outputs: Output[] = []
  const started = performance.now()
  let seen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    seen += text
    outputs.push({ at: performance.now() - started, text: text.replaceAll(home, '/home/ada') })
  })
  const shows = async (text: string, from: number) => {
    for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; await delay(20))
      if (seen.indexOf(text, from) !== -1) return
    throw new Error(`the terminal does not show ${JSON.stringify(text)}: ${seen.slice(from)}`)
  }
  const type = async (text: string) => {
    for (const key of text) {
      child.stdin.write(key)
      await delay(KEY_MS)
    }
    await delay(READING_MS / 3)
    const from = seen.length
    child.stdin.write('\n')
    return from
  }
  await shows(READY, 0)
  for (const { line, answers = [] } of SCENES) {
    let from = await type(line)
    for (const { to, text } of answers) {
      await shows(to, from)
      await delay(READING_MS)
      from = await type(text)
    }
    await shows(READY, from)
    await delay(READING_MS)
  }
  const recorded = [...outputs]
  const ended = once(child, 'close')
  child.stdin.write('exit\n')
  await ended
  return recorded
}

/** A repository with an issue in a file, and `drover` on PATH. */
function createProject(home: string): string {
  const project = join(home, 'weather')
  mkdirSync(join(home, 'bin'))
  const program = join(home, 'bin', 'drover')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${DROVER}' "$@"\n`)
  chmodSync(program, 0o755)
  mkdirSync(project)
  writeFileSync(join(project, 'wind.txt'), 'wind: 12 m/s\n')
  writeFileSync(join(project, 'issue.md'), ISSUE)
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['config', 'user.name', 'Ada'],
    ['config', 'user.email', 'ada@example.com'],
    ['add', '.'],
    ['commit', '-qm', 'First'],
  ])
    execFileSync('git', args, { cwd: project })
  return project
}
