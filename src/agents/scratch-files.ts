/** A private directory for the files that a command needs. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { removeLeftovers, temporaryName } from '../kit/files/temporary-file.ts'
import type { AgentCommand } from './adapter/agent.ts'

/** Asked once, because it reads the environment each time. */
const TEMPORARY = tmpdir()

/** Only a name: the directory is created when the first file is written. Every prompt gets one, so it must cost little. */
export function newScratchDirectory(): string {
  return join(TEMPORARY, temporaryName())
}

export function writeScratch(directory: string, { files, links = [], temporaryDirectory }: AgentCommand): void {
  if (files.length === 0 && links.length === 0 && temporaryDirectory === undefined) return
  sweepOnce()
  // It exists if the turn has functions of the client.
  mkdirSync(directory, { mode: 0o700, recursive: true })
  if (temporaryDirectory !== undefined) mkdirSync(temporaryDirectory, { mode: 0o700 })
  for (const { path, content } of files) {
    mkdirSync(dirname(path), { mode: 0o700, recursive: true })
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
  }
  for (const { path, target, isDirectory } of links) {
    if (isDirectory) mkdirSync(target, { mode: 0o700, recursive: true })
    symlinkSync(target, path)
  }
}

/** A file that cannot be removed does not fail the prompt: only this user can read it. */
export async function removeScratch(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true }).catch(() => undefined)
}

let isSwept = false

function sweepOnce(): void {
  if (!isSwept) sweepScratch()
}

/** Removes the directories that killed processes of this user left. */
export function sweepScratch(): void {
  isSwept = true
  removeLeftovers(TEMPORARY)
}
