import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram } from '../../src/kit/process/find-program.ts'
import { temporaryDirectory } from './run-drover.ts'

/** A directory for PATH that has these programs of this machine, and no others. */
export function onlyPrograms(...names: string[]): string {
  const directory = temporaryDirectory()
  for (const name of names) {
    const path = findProgram(name, { env: process.env, cwd: '/' })
    if (path === undefined) throw new Error(`this test needs ${name}`)
    symlinkSync(path, join(directory, name))
  }
  return directory
}
