/** A private directory for the files that a command needs. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomIds } from '../kit/ids.ts'
import type { AgentCommand } from './adapter/agent.ts'

let prefix: string | undefined
let count = 0

/** Only a name: the directory is created when the first file is written. Every prompt gets one, so it must cost little. */
export function newScratchDirectory(): string {
  prefix ??= join(tmpdir(), `drover-${randomIds.hex(8)}-`)
  count += 1
  return `${prefix}${count}`
}

export function writeScratch(directory: string, files: AgentCommand['files']): void {
  if (files.length === 0) return
  mkdirSync(directory, { mode: 0o700 })
  for (const { path, content } of files) writeFileSync(path, content, { mode: 0o600, flag: 'wx' })
}

export function removeScratch(directory: string): void {
  rmSync(directory, { recursive: true, force: true })
}
