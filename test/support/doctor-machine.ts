/** Machines for `drover doctor` to look at: a home, a directory to work in, and the programs that PATH leads to. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DoctorReport } from '../../src/contract/doctor-report.shape.ts'
import { checkDoctorReport } from '../../src/contract/host-reports.ts'
import { findProgram } from '../../src/kit/process/find-program.ts'
import { DROVER, type Ran, runAt } from './run-drover.ts'
import { createRepository, type Repository } from './temporary-repository.ts'

export type Machine = {
  home: string
  /** Where drover is started. */
  place: string
  env: Record<string, string>
  /** Puts a shell script into PATH; nothing else is there. */
  program: (name: string, script: string) => void
  /** Puts this machine's own git into PATH. */
  realGit: () => void
  /** Makes a repository of the place. */
  repository: () => Repository
  drover: (...args: string[]) => Promise<Ran>
}

export function doctorMachine(directory: string): Machine {
  const root = realpathSync(directory)
  const [home, place, bin] = [join(root, 'home'), join(root, 'place'), join(root, 'bin')]
  for (const path of [home, place, bin]) mkdirSync(path)
  const env: Record<string, string> = { PATH: bin, HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
  return {
    home,
    place,
    env,
    program: (name, script) => writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    realGit: () => symlinkSync(findProgram('git', { env: process.env, cwd: '/' }) ?? '', join(bin, 'git')),
    repository: () => createRepository({ at: place }),
    drover: (...args) => runAt(place, [process.execPath, DROVER, ...args], env),
  }
}

/** A `gh` that answers as these pieces of shell do. */
export function fakeGh({ version = 'exit 0', auth = 'exit 0', api = 'exit 0' }): string {
  return `case "$1" in\n--version) ${version};;\nauth) ${auth};;\napi) ${api};;\nesac`
}

/** The report that is printed, and all that is. */
export function reportIn({ code, stdout, stderr }: Ran): DoctorReport {
  if (code !== 0 || stderr !== '' || stdout.split('\n').length !== 2) {
    throw new Error(`no report: exit code ${code}, ${stdout}${stderr}`)
  }
  return checkDoctorReport(JSON.parse(stdout))
}
