/** Writes the result of each task into a directory as soon as the task has ended, and a summary of all at the end. */
import { accessSync, constants, existsSync, readdirSync, statSync, unlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Fault } from '../../kit/fault.ts'
import { directoryUnusable } from '../../kit/faults.ts'
import { systemReason } from '../../kit/files/disk.ts'
import { ensurePrivateDirectory } from '../../kit/files/private-directory.ts'
import { replaceFile } from '../../kit/files/write-file.ts'
import type { Invocation } from '../command.ts'
import { resultsExist, resultsRefused } from '../faults.ts'
import { toPrintable } from '../output/printable.ts'

const SUMMARY = 'summary.json'
const RESULT = /^\d{3,}_[A-Za-z0-9_-]{1,64}\.json$/

/** `NNN_<name>.json`, numbered from 1. */
export function resultFileName(item: number, name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64)
  return `${String(item + 1).padStart(3, '0')}_${plain}.json`
}

/** From the flag, or else from the task file. */
export function resultsDirectory({ flags, runtime }: Invocation, named?: string): string | undefined {
  const directory = flags.text('output-dir') ?? named
  return directory === undefined ? undefined : resolve(runtime.cwd, directory)
}

/** Prepares the directory; undefined if there is none or if nothing runs. */
export function openResultFiles(
  { flags }: Invocation,
  { directory, isDryRun }: { directory: string | undefined; isDryRun: boolean },
): ResultFiles | undefined {
  return directory === undefined || isDryRun ? undefined : new ResultFiles(directory, { isForced: flags.isOn('force') })
}

/** Throws the first write error, or tells the user where the results are. */
export async function closeResultFiles({ flags, runtime }: Invocation, files: ResultFiles | undefined): Promise<void> {
  if (files === undefined) return
  files.throwFirstError()
  const { directory, count } = files
  if (flags.isOn('quiet') || flags.isOn('json')) return
  await runtime.terminal.err.write(`Wrote ${count} files to ${toPrintable(directory)}.\n`)
}

export class ResultFiles {
  readonly directory: string
  readonly #written = new Set<string>()
  #firstError: Fault | undefined

  /** Never mixes old results with new ones: refuses a directory with results, or removes them with `isForced`. */
  constructor(directory: string, { isForced }: { isForced: boolean }) {
    this.directory = directory
    prepareDirectory(directory)
    const found = readdirSync(directory).filter((name) => name === SUMMARY || RESULT.test(name))
    if (found.length > 0 && !isForced) throw resultsExist({ directory, count: found.length })
    for (const name of found) unlinkSync(join(directory, name))
  }

  /** Writes each file once. A disk error must not stop the running agents or hide their answers, so it is thrown at the end. */
  write(name: string, value: unknown): void {
    if (this.#written.has(name)) return
    this.#written.add(name)
    const path = join(this.directory, name)
    try {
      replaceFile({ path, bytes: Buffer.from(`${JSON.stringify(value, null, 2)}\n`), mode: 0o600 })
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      this.#firstError ??= error
    }
  }

  get count(): number {
    return this.#written.size
  }

  writeSummary(summary: unknown): void {
    this.write(SUMMARY, summary)
  }

  throwFirstError(): void {
    if (this.#firstError !== undefined) throw this.#firstError
  }
}

/** An existing directory belongs to the user and keeps its permissions. */
function prepareDirectory(directory: string): void {
  const refusal = (problem: string, cause?: unknown) => resultsRefused({ directory, problem }, cause)
  try {
    if (!existsSync(directory)) ensurePrivateDirectory({ path: directory })
    if (!statSync(directory).isDirectory()) throw refusal('it is not a directory')
    accessSync(directory, constants.R_OK | constants.W_OK)
  } catch (error) {
    if (!(error instanceof Fault)) throw refusal(systemReason(error), error)
    if (error.code !== directoryUnusable.code) throw error
    throw refusal((error.details as Parameters<typeof directoryUnusable>[0]).problem, error)
  }
}
