/** Installs agents that follow a script (test/programs/driven-agent.ts), and drives runs with them. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DriveEvent } from '../../src/drive/record/event.shape.ts'
import { callMain } from './call-main.ts'
import { PLAIN_ENV } from './git-repository.ts'
import { temporaryDirectory } from './run-drover.ts'
import { createRepository } from './temporary-repository.ts'

const PROGRAM = join(import.meta.dirname, '..', 'programs', 'driven-agent.ts')

/** What the agent does in one turn, in this order. */
export type DrivenTurn = {
  /** Messages before its work. */
  tells?: readonly string[]
  /** A message before its work, in these pieces. */
  streams?: readonly string[]
  /** Commands that it runs, and shows. */
  runs?: readonly string[]
  /** Files that it writes with its editing tool. */
  edits?: Readonly<Record<string, string>>
  runsAfter?: readonly string[]
  /** Edits that its policy denies. */
  deniedEdits?: readonly string[]
  /** Files that it writes without a trace, as a command would. */
  writes?: Readonly<Record<string, string>>
  deletes?: readonly string[]
  /** How often it makes the same call with the same result. */
  repeats?: number
  /** How long it is silent, in milliseconds. */
  pause?: number
  hangs?: boolean
  dies?: boolean
  /** Instead of an answer with an outcome. */
  says?: string
  /** Replaces fields of an honest outcome. */
  outcome?: object
  /** Model requests that it reports as claude does, before it goes on. */
  requests?: readonly { input: number; output: number }[]
  /** Claude ends with this error, as its `result` names it. */
  fails?: string
  usage?: { input?: number; output?: number }
  cost?: number
}

/** The turns for each kind of action; the last one is repeated. */
export type DrivenScript = Partial<
  Record<'orient' | 'clarify' | 'implement' | 'review' | 'summarize', readonly DrivenTurn[]>
>

/** One call of an agent, as it was paid for. */
export type DrivenCall = {
  backend: string
  kind: string
  actionId: string
  prompt: string
  argv: readonly string[]
  resumed?: string
}

export const HONEST: DrivenTurn = { edits: { 'wind.txt': 'wind: 23 knots\n' } }

/** A repository with one file, a home, and scripted agents for claude and codex. */
export function createDriving(script: DrivenScript = {}, { config = '' }: { config?: string } = {}) {
  const scratch = temporaryDirectory()
  const [bin, home] = [join(scratch, 'bin'), join(scratch, 'home')]
  for (const each of [bin, join(home, '.drover')]) mkdirSync(each, { recursive: true, mode: 0o700 })
  const repository = createRepository({ at: join(scratch, 'weather') })
  repository.write('wind.txt', 'wind: 12 m/s\n')
  repository.write('check.sh', "grep 'knots$' wind.txt\n")
  for (const name of ['wind', 'rain', 'sun']) {
    repository.write(`${name}.test.js`, "it('shines', () => { expect(1).toBe(1) })\n")
  }
  repository.commit()
  const configure = (text: string) => writeFileSync(join(home, '.drover', 'config.yaml'), text)
  configure(config)
  const rewrite = (next: DrivenScript) =>
    writeFileSync(join(scratch, 'script.json'), JSON.stringify({ implement: [HONEST], ...next }))
  rewrite(script)
  for (const backend of ['claude', 'codex']) {
    const start = `exec '${process.execPath}' '${PROGRAM}' ${backend} '${scratch}' "$@"`
    writeFileSync(join(bin, backend), `#!/bin/sh\n${start}\n`, { mode: 0o755 })
  }
  const env = { ...PLAIN_ENV, HOME: home, PATH: `${bin}:${PLAIN_ENV.PATH}`, DROVER_HOME: join(home, '.drover') }
  const call = (args: readonly string[]) => callMain(args, { cwd: repository.root, env, homeDirectory: home })
  return {
    repository,
    env,
    scratch,
    rewrite,
    configure,
    call,
    drive: (...args: string[]) => call(['drive', ...args]),
    calls: (): DrivenCall[] => {
      const path = join(scratch, 'calls.jsonl')
      if (!existsSync(path)) return []
      return readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    },
    /** The records of a run. */
    records: (runId: string): DriveEvent[] => {
      const path = join(repository.root, '.git', 'drover', 'runs', runId, 'drive.jsonl')
      return readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    },
  }
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
