/** A home with scripted agents (test/programs/driven-agent.ts) and a repository, in which runs are driven. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DriveEvent } from '../../src/drive/record/drive-event.shape.ts'
import { bundledProgram } from './bundled-program.ts'
import { copyEmptyStore } from './empty-store.ts'
import { cloneRepository, copyRepository, createRepositoryAt, PLAIN_ENV, type Repository } from './git-repository.ts'

/** What the agent does in one turn, in this order. */
export type DrivenTurn = {
  /** Messages before its work. */
  tells?: readonly string[]
  /** A message before its work, in these pieces. Only claude shows pieces. */
  streams?: readonly string[]
  /** A command that it asks about before its work. Only a claude that stays up asks. */
  asks?: string
  /** A file that it reads, in which a line `RUN: …` says what to run. Only the model of a real agent obeys. */
  obeys?: string
  /** What it looks up with the tool `look` of its first MCP server, for a message with the result. */
  looks?: string
  /** Commands that it runs, and shows. */
  runs?: readonly string[]
  /** Files that it writes with its editing tool, or the text that it replaces in them and the new one. */
  edits?: Readonly<Record<string, string | readonly [before: string, after: string]>>
  runsAfter?: readonly string[]
  /** Edits that its policy denies. */
  deniedEdits?: readonly string[]
  /** Files that it writes without a trace, as a command would. */
  writes?: Readonly<Record<string, string>>
  deletes?: readonly string[]
  /** How often it makes the same call with the same result. */
  repeats?: number
  /** How often its provider refuses its first request, so that it retries. */
  retries?: number
  /** How long it is silent, in milliseconds. */
  pause?: number
  hangs?: boolean
  /** Its session is not saved before the turn has ended: if it is killed, no one can resume it. Only for claude. */
  savesLate?: boolean
  dies?: boolean
  /** Instead of an answer with an outcome. */
  says?: string
  /** Replaces fields of an honest outcome. */
  outcome?: object
  /** Model requests that it reports as claude does, before it continues. */
  requests?: readonly { input: number; output: number }[]
  /** Claude ends with this error, as its `result` names it. */
  fails?: string
  /** An agent of this name ends its turn with this text, as it does if its provider refuses a request. */
  limit?: Readonly<Record<string, string>>
  usage?: { input?: number; output?: number }
  cost?: number
}

/** `prompt`: no action of a run. */
export type ActionKind = 'orient' | 'clarify' | 'implement' | 'review' | 'summarize' | 'prompt'

/** The turns for each kind of action; the last one is repeated. */
export type DrivenScript = Partial<Record<ActionKind, readonly DrivenTurn[]>> & {
  /** A second prompt for the same action gets the same turn. */
  isByAction?: true
  /** Instead, for prompts with this text. */
  goals?: Readonly<Record<string, DrivenScript>>
}

/** One prompt that an agent received: this is what would be paid for. */
export type DrivenCall = {
  backend: string
  kind: string
  actionId: string
  prompt: string
  argv: readonly string[]
  resumed?: string
  /** The process, and when it had read the whole prompt. */
  pid: number
  at: string
}

export const HONEST: DrivenTurn = { edits: { 'wind.txt': 'wind: 23 knots\n' } }

export type DrivenHomeOptions = {
  config?: string | undefined
  /** Writes a project. Runs are driven in a clone of it. */
  write?: ((origin: Repository) => void) | undefined
  /** Most tests are about something else, and a sandbox takes time to start. */
  sandbox?: 'on' | 'off' | undefined
}

/** A repository with a few files, a home, and scripted agents for claude and codex, all below `scratch`. */
export function createDrivenHome(
  scratch: string,
  script: DrivenScript = {},
  { config = '', write, sandbox = 'off' }: DrivenHomeOptions = {},
) {
  const [bin, home] = [join(scratch, 'bin'), join(scratch, 'home')]
  for (const each of [bin, join(home, '.drover')]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const origin = createWeather(join(scratch, write === undefined ? 'weather' : 'origin'))
  if (write !== undefined) {
    write(origin)
    origin.commit()
  }
  const repository = write === undefined ? origin : cloneRepository(origin, join(scratch, 'weather'))
  copyEmptyStore(join(home, '.drover', 'sessions.db'))
  const configure = (text: string) => writeFileSync(join(home, '.drover', 'config.yaml'), text)
  configure(sandbox === 'on' && config === '' ? allowScripts(scratch) : config)
  const rewrite = (next: DrivenScript) =>
    writeFileSync(join(scratch, 'script.json'), JSON.stringify({ implement: [HONEST], ...next }))
  rewrite(script)
  for (const backend of ['claude', 'codex']) {
    const start = `exec '${process.execPath}' '${bundledProgram('programs/driven-agent')}' ${backend} '${scratch}' "$@"`
    writeFileSync(join(bin, backend), `#!/bin/sh\n${start}\n`, { mode: 0o755 })
  }
  const runs = join(repository.root, '.git', 'drover', 'runs')
  return {
    repository,
    scratch,
    home,
    runs,
    env: {
      ...PLAIN_ENV,
      HOME: home,
      PATH: `${bin}:${PLAIN_ENV.PATH}`,
      DROVER_HOME: join(home, '.drover'),
      DROVER_DRIVE_SANDBOX: sandbox,
    },
    rewrite,
    configure,
    calls: () => readLines<DrivenCall>(join(scratch, 'calls.jsonl')),
    /** When each call was answered. */
    ends: () => readLines<{ at: string }>(join(scratch, 'ends.jsonl')),
    /** The records of a run. */
    records: (runId: string) => readLines<DriveEvent>(join(runs, runId, 'drive.jsonl')),
  }
}

/** What the scripted agents need in a sandbox: themselves, their script and their logs. */
function allowScripts(scratch: string): string {
  const write = ['calls.jsonl', 'ends.jsonl'].map((name) => join(scratch, name))
  for (const log of write) writeFileSync(log, '')
  const program = dirname(dirname(bundledProgram('programs/driven-agent')))
  const read = [program, join(scratch, 'bin'), join(scratch, 'script.json')]
  return JSON.stringify({ sandbox: { read, write }, warm: { enabled: false } })
}

/** Once for all tests of this process: to copy it is faster than to make it. */
let template: Repository | undefined

/** A repository with a few files. */
export function createWeather(root: string): Repository {
  template ??= createTemplate()
  return copyRepository(template, root)
}

function createTemplate(): Repository {
  const root = mkdtempSync(join(tmpdir(), 'drover-weather-'))
  process.once('exit', () => rmSync(root, { recursive: true, force: true }))
  const repository = createRepositoryAt(root)
  repository.write('wind.txt', 'wind: 12 m/s\n')
  repository.write('check.sh', "grep 'knots$' wind.txt\n")
  for (const name of ['wind', 'rain', 'sun']) {
    repository.write(`${name}.test.js`, "it('shines', () => { expect(1).toBe(1) })\n")
  }
  repository.commit()
  return repository
}

export type DrivenHome = ReturnType<typeof createDrivenHome>

/** The lines of a file that are complete; none if it does not exist. */
export function readLines<T>(path: string): T[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

/** The id of the run that a drive has started. */
export function runIdIn(stdout: string): string {
  return /Run ([0-9a-f-]{36})/.exec(stdout)?.[1] ?? /"run_id":"([0-9a-f-]{36})"/.exec(stdout)?.[1] ?? ''
}

/** The data of the records of one type. */
export function dataOf<T extends DriveEvent['type']>(records: readonly DriveEvent[], type: T) {
  return records
    .filter((each) => each.type === type)
    .map(({ data }) => data as Extract<DriveEvent, { type: T }>['data'])
}
