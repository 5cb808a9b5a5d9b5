/** What drover reads for an agent that must not read it itself: instructions of the project, and settings of the user. */
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, sep } from 'node:path'
import { parseEnv } from 'node:util'
import { orUndefined } from '../../kit/fault.ts'
import { type JsonRecord, parseObject } from './json-fields.ts'

export type Surroundings = {
  /** The instructions in the working directory; empty if there are none. */
  instructions: string
  /** The user's own settings of the agent. */
  userSettings: JsonRecord
  /** Variables in a file of the user that the agent reads. */
  variables: Readonly<Record<string, string>>
  /** What is in the agent's directory in the home of the user. */
  homeEntries: readonly string[]
  /** Settings of the project that the agent would use, because nothing turns them off. */
  projectSettings?: readonly string[]
}

export const NO_SURROUNDINGS: Surroundings = {
  instructions: '',
  userSettings: {},
  variables: {},
  homeEntries: [],
}

/** Agents have their own limits, and the text is a part of each conversation. */
const INSTRUCTIONS_LIMIT_BYTES = 128 * 1024

/** A text of the project; empty if there is none. A link out of the working directory could lead to any file of the user. */
export function readInstructions(workdir: string, name: string): string {
  try {
    const path = realpathSync(join(workdir, name))
    if (!path.startsWith(`${workdir}${sep}`)) return ''
    const text = readStart(path)
    return text.replaceAll('\0', '')
  } catch {
    return ''
  }
}

/** An agent may have put a pipe there, which would block, or may replace the file by a link. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

function readStart(path: string): string {
  const descriptor = openSync(path, FLAGS)
  try {
    if (!fstatSync(descriptor).isFile()) return ''
    const buffer = Buffer.alloc(INSTRUCTIONS_LIMIT_BYTES + 1)
    const length = readSync(descriptor, buffer)
    const text = buffer.toString('utf8', 0, Math.min(length, INSTRUCTIONS_LIMIT_BYTES))
    return length > INSTRUCTIONS_LIMIT_BYTES ? `${text}\n(The rest of ${path} is left out.)\n` : text
  } finally {
    closeSync(descriptor)
  }
}

/** Empty if there is no such file, or if the agent itself could not read it. Some agents allow comments. */
export function readSettings(path: string): JsonRecord {
  return orUndefined(() => parseObject(withoutComments(readFileSync(path, 'utf8'))) ?? {}) ?? {}
}

function withoutComments(text: string): string {
  return text.replace(
    /("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (_, string: string | undefined) => string ?? '',
  )
}

/** The variables of the first file that exists. */
export function readVariables(paths: readonly string[]): Surroundings['variables'] {
  for (const path of paths) {
    try {
      return parseEnv(readFileSync(path, 'utf8')) as Surroundings['variables']
    } catch {
      // The next one counts.
    }
  }
  return {}
}

/** As agents find it. */
export function userHome(env: Readonly<Record<string, string | undefined>>): string {
  return env['HOME'] || homedir()
}

export function namesIn(directory: string): string[] {
  return orUndefined(() => readdirSync(directory).sort()) ?? []
}

/** The directories in which an agent works. Relative names belong to the first one. */
export function rootsOf({
  workdir,
  additionalDirectories = [],
}: {
  readonly workdir: string
  readonly additionalDirectories?: readonly string[] | undefined
}): readonly [string, ...string[]] {
  return [workdir, ...additionalDirectories]
}
