import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { errorCode, type Fault } from '../fault.ts'
import {
  programArgumentInvalid,
  programArgumentsTooLong,
  programDirectoryMissing,
  programNotExecutable,
  programNotFound,
  programNotStarted,
} from '../faults.ts'

type Start = {
  argv: readonly [string, ...string[]]
  /** The name of the program in error messages, in place of its path. */
  shownAs?: string | undefined
  cwd: string
  env: Readonly<Record<string, string>>
}

/** Linux: MAX_ARG_STRLEN, which counts the NUL at the end. */
const MAX_ARGUMENT_BYTES = 131_071

/** Refuses arguments that the system cannot pass on; it would cut a text at its NUL. */
export function refuseBadArguments({ argv, cwd, env, shownAs }: Start): void {
  const program = shownAs ?? argv[0]
  const texts = [
    ...argv.map((text, index) => ({ place: index === 0 ? 'the program name' : `argument ${index}`, text })),
    { place: 'the working directory', text: cwd },
    ...Object.entries(env).map(([name, value]) => ({ place: `the variable ${name}`, text: name + value })),
  ]
  const bad = texts.find(({ text }) => text.includes('\0'))
  if (bad) throw programArgumentInvalid({ program, place: bad.place, problem: 'contains a NUL character' })
  if (argv[0] === '') throw programArgumentInvalid({ program: '', place: 'the program name', problem: 'is empty' })
  if (process.platform !== 'linux') return
  const isLong = argv.some((text) => Buffer.byteLength(text) > MAX_ARGUMENT_BYTES)
  if (isLong || countSpace({ argv, env }) > spaceForArguments()) throw programArgumentsTooLong({ program })
}

/** The size as the kernel counts it: each argument and variable with its NUL, and a pointer to it. */
function countSpace({ argv, env }: Pick<Start, 'argv' | 'env'>): number {
  const overhead = 1 + POINTER_BYTES
  let bytes = 0
  for (const text of argv) bytes += Buffer.byteLength(text) + overhead
  for (const name in env) bytes += Buffer.byteLength(name) + 1 + Buffer.byteLength(env[name] ?? '') + overhead
  return bytes
}

const POINTER_BYTES = 8
/** For what is added later: the program's path, a script's interpreter, and drover's own flags and variables. */
const RESERVED_BYTES = 16 * 1024
let space: number | undefined

/** Linux allows a quarter of the stack limit, and at most 6 MiB (execve(2)). */
function spaceForArguments(): number {
  space ??= Math.min(6 * 1024 * 1024, Math.max(MAX_ARGUMENT_BYTES, stackBytes() / 4)) - RESERVED_BYTES
  return space
}

/** If the limit cannot be read, the system's own check applies. */
function stackBytes(): number {
  try {
    const [, bytes] = /^Max stack size +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return bytes === undefined ? Number.POSITIVE_INFINITY : Number(bytes)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

/** The fault for an error of `spawn`. A missing working directory is also ENOENT, so it is checked first. */
export function startFault({ argv, cwd, shownAs }: Start, error: unknown): Fault {
  const program = shownAs ?? argv[0]
  const code = errorCode(error)
  if (code === 'E2BIG') return programArgumentsTooLong({ program }, error)
  if (!isUsableDirectory(cwd)) return programDirectoryMissing({ program, cwd }, error)
  if (code === 'ENOENT') return programNotFound({ program }, error)
  if (code === 'EACCES') return programNotExecutable({ program }, error)
  return programNotStarted({ program, reason: code ?? String(error) }, error)
}

function isUsableDirectory(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
