/** The names that a check could have meant: programs on PATH, scripts of package.json, targets of a Makefile. */

import { delimiter, isAbsolute, join } from 'node:path'
import { tryTo } from '../kit/fault.ts'
import { readFileBytes } from '../kit/files/read-file.ts'
import type { SearchPlaces } from '../kit/process/find-program.ts'
import { namesIn } from '../workspace/read-if-there.ts'
import { describeMissingCommand, findMissingCommand, type MissingCommand } from './decide/missing-command.ts'

const FILE_LIMIT_BYTES = 4 * 1024 * 1024

/** Those of the tools themselves that checks use. */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  npm: ['test', 'start', 'run', 'exec', 'ci', 'install', 'audit'],
  cargo: ['build', 'check', 'test', 'clippy', 'fmt', 'bench', 'doc', 'run', 'nextest'],
  go: ['build', 'test', 'vet', 'run', 'fmt', 'generate'],
}

/** Why a check that has ended did not check anything, in one sentence. Undefined if it did. */
export function whyNothingRan(
  command: string,
  end: Parameters<typeof findMissingCommand>[1],
  places: SearchPlaces,
): string | undefined {
  const missing = findMissingCommand(command, end)
  return missing && describeMissingCommand(missing, listKnownCommands(missing, places))
}

function listKnownCommands({ kind, of }: MissingCommand, places: SearchPlaces): string[] {
  switch (kind) {
    case 'program':
      return listPrograms(places)
    case 'script':
      return listScripts(places.cwd)
    case 'command':
      return [...(COMMANDS[of] ?? [])]
    case 'target':
      return listTargets(places.cwd)
    case 'module':
      return []
  }
}

/** Also those that a package manager adds to PATH. */
export function listPrograms({ env, cwd }: SearchPlaces): string[] {
  const directories = [...(env['PATH'] ?? '').split(delimiter).filter(isAbsolute), join(cwd, 'node_modules', '.bin')]
  return [...new Set(directories.flatMap(namesIn))]
}

function listScripts(directory: string): string[] {
  try {
    const { scripts } = JSON.parse(readText(join(directory, 'package.json'))) as { scripts?: unknown }
    return typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : []
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return []
  }
}

function listTargets(directory: string): string[] {
  const texts = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => readText(join(directory, name)))
  return texts.flatMap((text) => [...text.matchAll(/^([\w.-]+):(?!=)/gm)].map(([, name = '']) => name))
}

/** Empty if it cannot be read. */
function readText(path: string): string {
  return tryTo(() => readFileBytes({ path, limitBytes: FILE_LIMIT_BYTES }).toString('utf8')) ?? ''
}
