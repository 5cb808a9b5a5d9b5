/** A private directory for the files that a command needs. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomIds } from '../kit/ids.ts'
import type { AgentCommand } from './adapter/agent.ts'

/** Only a name: the directory is created when the first file is written. */
export function newScratchDirectory(): string {
  return join(tmpdir(), `drover-${randomIds.hex(8)}`)
}

export function writeScratch(directory: string, files: AgentCommand['files']): void {
  if (files.length === 0) return
  mkdirSync(directory, { mode: 0o700 })
  for (const { path, content } of files) writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
}

export function removeScratch(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}
