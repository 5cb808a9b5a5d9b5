import { accessSync, constants, statSync } from 'node:fs'
import { errorCode, type Fault } from './fault.ts'
import {
  programArgumentInvalid,
  programArgumentsTooLong,
  programDirectoryMissing,
  programNotExecutable,
  programNotFound,
  programNotStarted,
} from './faults.ts'

type Start = {
  argv: readonly [string, ...string[]]
  /** What the program is called in faults, where its path is nobody's business. */
  shownAs?: string | undefined
  cwd: string
  env: Readonly<Record<string, string>>
}

/** Linux: MAX_ARG_STRLEN, which counts the NUL at the end. */
const MAX_ARGUMENT_BYTES = 131_071

/** Refuses what the system cannot pass on; it would cut a text short at its NUL. */
export function refuseBadArguments({ argv, cwd, env, shownAs }: Start): void {
  const program = shownAs ?? argv[0]
  const places = [
    ...argv.map((text, index) => ({ place: index === 0 ? 'the program name' : `argument ${index}`, text })),
    { place: 'the working directory', text: cwd },
    ...Object.entries(env).map(([name, value]) => ({ place: `the variable ${name}`, text: name + value })),
  ]
  const bad = places.find(({ text }) => text.includes('\0'))
  if (bad) throw programArgumentInvalid({ program, place: bad.place, problem: 'holds a NUL character' })
  if (argv[0] === '') throw programArgumentInvalid({ program: '', place: 'the program name', problem: 'is empty' })
  if (process.platform === 'linux' && argv.some((text) => Buffer.byteLength(text) > MAX_ARGUMENT_BYTES)) {
    throw programArgumentsTooLong({ program })
  }
}

/** What an error of `spawn` means. A missing working directory comes as ENOENT too, so that is looked at first. */
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
