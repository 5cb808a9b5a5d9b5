/** What drover does on macOS, around a program that takes the arguments of sandbox-exec and enforces nothing. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runProcess } from '../../src/kit/process/process.ts'
import type { BoundaryEvent } from '../../src/sandbox/boundary-report.ts'
import { createPolicy } from '../../src/sandbox/create-policy.ts'
import { openBoundary } from '../../src/sandbox/open-boundary.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { sandboxParts } from '../support/sandbox-parts.ts'

const SCRIPT = `
const { hostname, port } = new URL(process.env.HTTPS_PROXY)
const asked = require('node:http').request({ host: hostname, port, method: 'CONNECT', path: 'evil.example:443' })
asked.on('connect', ({ statusCode }) => console.log(JSON.stringify([statusCode, process.env.HOME === process.env.TMPDIR])))
asked.end()`

it('a command on macOS is led to the proxy by a port, and has its own home directory', async () => {
  const [root, home] = [temporaryDirectory(), temporaryDirectory()]
  const seatbelt = join(home, 'sandbox-exec')
  writeFileSync(seatbelt, '#!/bin/sh\nshift 2\nexec "$@"\n', { mode: 0o755 })
  const { forwarder } = sandboxParts(home)
  const programs = { bubblewrap: seatbelt, seatbelt, node: process.execPath, forwarder, limiter: undefined }
  const limits = { memoryBytes: undefined, processes: undefined, fileBytes: undefined }
  const settings = { hosts: [], env: [], read: [], write: [], limits }
  const policy = createPolicy({ worktree: { root }, home, droverHome: join(home, '.drover'), programs: [], settings })
  const events: BoundaryEvent[] = []
  const boundary = await openBoundary({
    ...{ argv: [process.execPath, '--eval', SCRIPT], cwd: root, env: { PATH: process.env['PATH'] }, policy, programs },
    onEvent: (event) => events.push(event),
  })
  const run = { ...boundary.command, cwd: root, timeoutMs: 30_000, signal: new AbortController().signal } as const
  const { stdout, exit } = await runProcess({ ...run, sweep: 'when-ended' }, { stdoutLimitBytes: 1000 })
  expect({ code: exit.code, hasStarted: boundary.hasStarted() }).toEqual({ code: 0, hasStarted: true })
  expect(JSON.parse(stdout.toString())).toEqual([403, true])
  expect(events).toEqual([{ is: 'refused', host: 'evil.example', port: 443, reason: 'not listed' }])
  await boundary.close()
  expect(existsSync(boundary.command.env['HOME'] ?? '')).toBe(false)
})
