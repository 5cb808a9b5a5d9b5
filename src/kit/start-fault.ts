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

type Start = { argv: readonly [string, ...string[]]; cwd: string; env: Readonly<Record<string, string>> }

/** Refuses what no system can pass on; the system itself would cut it short at the NUL. */
export function refuseBadArguments({ argv, cwd, env }: Start): void {
  const places = [
    ...argv.map((text, index) => ({ place: index === 0 ? 'the program name' : `argument ${index}`, text })),
    { place: 'the working directory', text: cwd },
    ...Object.entries(env).map(([name, value]) => ({ place: `the variable ${name}`, text: name + value })),
  ]
  const bad = places.find(({ text }) => text.includes('\0'))
  if (bad) throw programArgumentInvalid({ program: argv[0], place: bad.place, problem: 'holds a NUL character' })
  if (argv[0] === '') throw programArgumentInvalid({ program: '', place: 'the program name', problem: 'is empty' })
}

/** What an error of `spawn` means. A missing working directory comes as ENOENT too, so that is looked at first. */
export function startFault({ argv: [program], cwd }: Start, error: unknown): Fault {
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
