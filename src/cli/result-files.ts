/** A directory with the result of each task, written as soon as the task has ended, and a summary of all. */
import { existsSync, readdirSync, statSync, unlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { systemReason } from '../kit/disk.ts'
import { Fault } from '../kit/fault.ts'
import { directoryUnusable } from '../kit/faults.ts'
import { ensurePrivateDirectory } from '../kit/private-directory.ts'
import { replaceFile } from '../kit/write-file.ts'
import type { Invocation } from './command.ts'
import { resultsExist } from './faults.ts'

const SUMMARY = 'summary.json'
const RESULT = /^\d{3,}_[A-Za-z0-9_-]{1,64}\.json$/

/** `NNN_<name>.json`, counted from 1. */
export function resultFileName(item: number, name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  return `${String(item + 1).padStart(3, '0')}_${plain}.json`
}

/** The directory that the flag or the file names, ready to be written to; undefined when neither does. */
export function openResultFiles({ flags, world }: Invocation, named: string | undefined): ResultFiles | undefined {
  const directory = flags.text('output-dir') ?? named
  if (directory === undefined) return undefined
  return new ResultFiles(resolve(world.cwd, directory), { isForced: flags.isOn('force') })
}

export class ResultFiles {
  readonly #directory: string
  readonly #written = new Set<string>()
  #trouble: Fault | undefined

  /** Results of an earlier run are never mixed with new ones: they are refused, or removed with `isForced`. */
  constructor(directory: string, { isForced }: { isForced: boolean }) {
    this.#directory = directory
    prepareDirectory(directory)
    const found = readdirSync(directory).filter((name) => name === SUMMARY || RESULT.test(name))
    if (found.length > 0 && !isForced) throw resultsExist({ directory, count: found.length })
    for (const name of found) unlinkSync(join(directory, name))
  }

  /** Once for each file. Trouble with the disk must not end agents that are at work, nor hide what they said. */
  write(name: string, value: unknown): void {
    if (this.#written.has(name)) return
    this.#written.add(name)
    const path = join(this.#directory, name)
    try {
      replaceFile({ path, bytes: Buffer.from(`${JSON.stringify(value, null, 2)}\n`), mode: 0o600 })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#trouble ??= error
    }
  }

  writeSummary(summary: unknown): void {
    this.write(SUMMARY, summary)
  }

  /** Throws what went wrong first, with any of the files. */
  tellTrouble(): void {
    if (this.#trouble !== undefined) throw this.#trouble
  }
}

/** A directory that is there keeps its permissions: it is the user's own. */
function prepareDirectory(directory: string): void {
  if (!existsSync(directory)) ensurePrivateDirectory({ path: directory })
  try {
    if (statSync(directory).isDirectory()) return
  } catch (error) {
    throw directoryUnusable({ path: directory, problem: systemReason(error) }, error)
  }
  throw directoryUnusable({ path: directory, problem: 'it is not a directory' })
}
