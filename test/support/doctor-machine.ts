/** Machines for `drover doctor`: a home directory, a working directory, and the programs in PATH. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorReport } from '../../src/contract/reports.shape.ts'
import { checkDoctorReport } from '../../src/contract/reports.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import type { Repository } from './git-repository.ts'
import { DROVER, type Ran, runAt } from './run-drover.ts'
import { createRepository } from './temporary-repository.ts'

export type Machine = {
  home: string
  /** The working directory. */
  cwd: string
  env: Record<string, string>
  /** Adds a shell script to PATH, which is empty otherwise. */
  program: (name: string, script: string) => void
  /** Adds the real git to PATH. */
  realGit: () => void
  /** Makes the working directory a repository. */
  repository: () => Repository
  drover: (...args: string[]) => Promise<Ran>
}

export function doctorMachine(directory: string): Machine {
  const root = realpathSync(directory)
  const [home, cwd, bin] = [join(root, 'home'), join(root, 'cwd'), join(root, 'bin')]
  for (const path of [home, cwd, bin]) mkdirSync(path)
  const env: Record<string, string> = { PATH: bin, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  return {
    home,
    cwd,
    env,
    program: (name, script) => writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    realGit: () => symlinkSync(findProgram('git', { env: process.env, cwd: '/' }) ?? '', join(bin, 'git')),
    repository: () => createRepository({ at: cwd }),
    drover: (...args) => runAt(cwd, [process.execPath, DROVER, ...args], env),
  }
}

/** A `gh` that runs these pieces of shell. */
export function fakeGh({ version = 'exit 0', auth = 'exit 0', api = 'exit 0' }): string {
  return `case "$1" in\n--version) ${version};;\nauth) ${auth};;\napi) ${api};;\nesac`
}

/** The printed report. Throws if anything else was printed. */
export function reportIn({ code, stdout, stderr }: Ran): DoctorReport {
  if (code !== 0 || stderr !== '' || stdout.split('\n').length !== 2) {
    throw new Error(`no report: exit code ${code}, ${stdout}${stderr}`)
  }
  return checkDoctorReport(JSON.parse(stdout))
}
