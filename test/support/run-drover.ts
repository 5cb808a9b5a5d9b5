import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { droverPath } from './bundled-program.ts'

/** Starts drover from its sources, as in a clone. */
export const SOURCES = join(import.meta.dirname, '..', '..', 'bin', 'drover.cjs')
/** Starts the bundle of bundle-drover.ts if there is one, else the sources. */
export const DROVER = droverPath()

export type Ran = { code: number | null; stdout: string; stderr: string }

/** Runs drover as a user would, with a temporary home and without this machine's environment. */
export function runDrover(args: readonly string[], options: { env?: Record<string, string>; home?: string } = {}) {
  return run([process.execPath, DROVER, ...args], { HOME: options.home ?? temporaryDirectory(), ...options.env })
}

export function run(argv: readonly string[], env: Record<string, string>): Promise<Ran> {
  return runAt(process.cwd(), argv, env)
}

export function runAt(cwd: string, argv: readonly string[], env: Record<string, string>): Promise<Ran> {
  const [command = '', ...args] = argv
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return ending(child)
}

/** Collects the output of a process until it ends. */
export function ending(child: ChildProcess): Promise<Ran> {
  let [stdout, stderr] = ['', '']
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** A directory that is removed after all tests of the file or group. It cannot be called in a hook. */
export function temporaryDirectoryForAll(): string {
  const directory = mkdtempSync(join(tmpdir(), 'drover-test-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'drover-test-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  return directory
}
