import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { command } from '../../../test/support/test-command.ts'
import { type ProcessCommand, startProcess } from './process.ts'
import { startFault } from './start-fault.ts'

describe('startProcess', () => {
  it.each<[string, string, ProcessCommand]>([
    ['a program that is not in PATH', 'program_not_found', command(['no-such-program'])],
    ['a program that is not at its path', 'program_not_found', command([`${NOWHERE}/program`])],
    ['a directory instead of a program', 'program_not_executable', command([tmpdir()])],
    ['a working directory that is missing', 'program_directory_missing', command(['true'], { cwd: NOWHERE })],
    ['a working directory that is a file', 'program_directory_missing', command(['true'], { cwd: '/bin/sh' })],
    ['a missing program and directory', 'program_directory_missing', command(['no-such'], { cwd: NOWHERE })],
    ['an argument of 128 KiB', 'program_arguments_too_long', command(['true', 'x'.repeat(131_072)])],
    ['a variable of 128 KiB', 'program_arguments_too_long', command(['true'], { env: { A: 'x'.repeat(131_070) } })],
    ['an empty program name', 'program_argument_invalid', command([''])],
    ['a NUL in the program name', 'program_argument_invalid', command(['tr\0ue'])],
    ['a NUL in an argument', 'program_argument_invalid', command(['true', 'a\0b'])],
    ['a NUL in the working directory', 'program_argument_invalid', command(['true'], { cwd: '/tmp\0' })],
    ['a NUL in a variable', 'program_argument_invalid', command(['true'], { env: { A: 'a\0b' } })],
    ['a NUL in the name of a variable', 'program_argument_invalid', command(['true'], { env: { 'A\0': 'a' } })],
  ])('refuses %s: %s', async (_name, code, refused) => {
    await expect(startProcess(refused)).rejects.toMatchObject({ name: 'Fault', code })
  })

  it('refuses a file that is not executable', async () => {
    const file = join(temporaryDirectory(), 'plain')
    writeFileSync(file, '#!/bin/sh\n', { mode: 0o644 })
    await expect(startProcess(command([file]))).rejects.toMatchObject({ code: 'program_not_executable' })
  })

  it('refuses a script whose interpreter is missing', async () => {
    const file = join(temporaryDirectory(), 'script')
    writeFileSync(file, `#!${NOWHERE}/interpreter\n`, { mode: 0o755 })
    await expect(startProcess(command([file]))).rejects.toMatchObject({ code: 'program_not_found' })
  })

  it('accepts an argument of one byte less than 128 KiB', async () => {
    const { exit } = await startProcess(command(['true', 'x'.repeat(131_071)]))
    expect(await exit).toMatchObject({ code: 0 })
  })

  it.runIf(process.platform === 'linux')(
    'takes arguments that just fit as a whole, and refuses one byte more',
    async () => {
      const stack = Number(execFileSync('sh', ['-c', 'ulimit -S -s'], { encoding: 'utf8' })) * 1024
      const limit = Math.min(6 * 1024 * 1024, Number.isNaN(stack) ? Number.POSITIVE_INFINITY : stack / 4) - 16 * 1024
      // Each text takes its NUL and a pointer besides.
      const [overhead, block] = [9, 100_000]
      const room = limit - ('A='.length + overhead) - ('/bin/true'.length + overhead) - overhead
      const blocks = new Array<string>(Math.floor(room / block)).fill('x'.repeat(block - overhead))
      const filling = (bytes: number) => command(['/bin/true', ...blocks, 'x'.repeat(bytes)], { env: { A: '' } })
      const { exit } = await startProcess(filling(room % block))
      expect(await exit).toMatchObject({ code: 0 })
      const refused = await startProcess(filling((room % block) + 1)).catch((error) => error)
      // What the system had refused would be its cause.
      expect([refused.code, refused.cause]).toEqual(['program_arguments_too_long', undefined])
    },
  )

  it('finds a program in the given PATH', async () => {
    await expect(startProcess(command(['true'], { env: { PATH: NOWHERE } }))).rejects.toMatchObject({
      code: 'program_not_found',
    })
  })

  it('does not print the value of a refused variable', async () => {
    const secret = command(['true'], { env: { TOKEN: 'hunter2\0' } })
    await expect(startProcess(secret)).rejects.toThrow(
      '"true" was not started because the variable TOKEN contains a NUL character; remove or correct it',
    )
  })
})

describe('startFault', () => {
  it('includes the code of any other error', () => {
    const fault = startFault(command(['true']), Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' }))
    expect(fault).toMatchObject({ code: 'program_not_started', details: { program: 'true', reason: 'EAGAIN' } })
  })
})
