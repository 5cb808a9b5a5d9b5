/** A repository for commands on runs, which run as a process or through `main` in this process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { CliError } from '../../src/contract/cli-error.shape.ts'
import type { ProtocolState } from '../../src/contract/protocol-state.shape.ts'
import type { LocalRun } from '../../src/contract/run-status.shape.ts'
import { readJson } from '../../src/kit/json/read-json.ts'
import { type CallOptions, callMain, type Surroundings } from './call-main.ts'
import { PLAIN_ENV, type Repository } from './git-repository.ts'
import { MESSAGE_CHECKERS, type MessageName } from './message-checkers.ts'
import { PROTOCOL_SCHEMA, protocolValidator } from './protocol-schema.ts'
import { DROVER, ending, type Ran, temporaryDirectory, temporaryDirectoryForAll } from './run-drover.ts'
import { createRepository } from './temporary-repository.ts'
import { numbersOnly } from './walk-message.ts'

type Call = (args: readonly string[], options?: CallOptions) => Promise<Ran>

export type RunFixture = ReturnType<typeof createRunFixture>

const ajv = protocolValidator()

/** Parses one line, and checks it against the published schema and with our own checker. */
export async function readMessage<T>(name: MessageName, text: string): Promise<T> {
  expect(text).toMatch(/^[^\n]+\n$/)
  const value = readJson(Buffer.from(text), { input: name, limitBytes: 2 ** 26 })
  expect(ajv.validate(`${PROTOCOL_SCHEMA.$id}#/$defs/${name}`, numbersOnly(value)), ajv.errorsText()).toBe(true)
  return MESSAGE_CHECKERS[name](value) as T
}

/** The answer of a command that changes a run. */
export async function stateOf({ code, stdout, stderr }: Ran): Promise<ProtocolState> {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return await readMessage<ProtocolState>('protocolState', stdout)
}

/** The error of a failed command; stdout must be empty. */
export async function errorOf({ code, stdout, stderr }: Ran): Promise<CliError> {
  const error = await readMessage<CliError>('cliError', stderr)
  expect({ code, stdout }).toEqual({ code: error.exit_code, stdout: '' })
  return error
}

/** The command line of a program, which reads errors: commands that are not for programs alone need `--json`. */
export function asJson([command = '', ...rest]: readonly string[]): string[] {
  const isForPrograms = command === 'protocol' || command === 'source' || command.startsWith('-')
  return isForPrograms || rest.includes('--json') ? [command, ...rest] : [command, '--json', ...rest]
}

/** The operation and the ids of the offered commands. */
export function offered({ next }: { next: CliError['next'] }): string {
  return [next.operation, ...next.variants.map(({ id }) => id)].join(' ')
}

type Places = { repository?: Repository; scratch?: string }

/** A repository, and functions that run drover in it. `scratch` is a directory outside of the worktree. */
export function createRunFixture({ repository = createRepository(), scratch = temporaryDirectory() }: Places = {}) {
  const { root } = repository
  const env = { ...PLAIN_ENV, HOME: scratch }
  const inProcess: Call = (args, options = {}) => callMain(args, { cwd: root, env, ...options })
  const program: Call = (args, options = {}) => ending(startProgram(args, { cwd: root, env, ...options }))
  const file = (name: string, content: string | Buffer | object) => {
    const path = join(scratch, name)
    const isText = typeof content === 'string' || Buffer.isBuffer(content)
    writeFileSync(path, isText ? content : JSON.stringify(content))
    return path
  }
  return {
    ...repository,
    scratch,
    env,
    file,
    /** Runs drover in this process: faster, for tables of many rows. */
    drover: inProcess,
    /** Runs drover as a process. */
    program,
    start: (args: readonly string[], options: CallOptions = {}) => startProgram(args, { cwd: root, env, ...options }),
    state: async (args: readonly string[], options?: CallOptions) => await stateOf(await inProcess(args, options)),
    error: async (args: readonly string[], options?: CallOptions) =>
      await errorOf(await inProcess(asJson(args), options)),
    programError: async (args: readonly string[], options?: CallOptions) =>
      await errorOf(await program(asJson(args), options)),
    status: async (runId: string) => {
      const { stdout } = await inProcess(['status', runId, '--json'])
      return await readMessage<LocalRun>('runStatus', stdout)
    },
  }
}

/** A fixture for all tests of a file. */
export function createSharedRunFixture(): RunFixture {
  const directory = realpathSync(temporaryDirectoryForAll())
  const scratch = join(directory, 'scratch')
  mkdirSync(scratch)
  return createRunFixture({ repository: createRepository({ at: join(directory, 'repository') }), scratch })
}

function startProgram(args: readonly string[], { cwd, env, input }: Surroundings): ChildProcess {
  const stdin = input === undefined ? 'ignore' : 'pipe'
  const child = spawn(process.execPath, [DROVER, ...args], { cwd, env, stdio: [stdin, 'pipe', 'pipe'] })
  child.stdin?.on('error', () => undefined).end(input)
  return child
}
