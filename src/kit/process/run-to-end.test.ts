import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { command, isRunning, program } from '../../../test/support/test-command.ts'
import { runToEnd } from './run-to-end.ts'

describe('runToEnd', () => {
  it('gives the output as the bytes it is, whatever the exit code', async () => {
    const { exit, stdout } = await runToEnd(command(['sh', '-c', "printf 'a\\000\\377\\n'; exit 1"]), {
      stdoutLimitBytes: 4,
    })
    expect(exit).toMatchObject({ code: 1, ended: 'itself' })
    expect([...stdout]).toEqual([0x61, 0x00, 0xff, 0x0a])
  })

  it('takes output of just the limit and refuses one byte more', async () => {
    const print = command(['head', '-c', '100000', '/dev/zero'])
    expect((await runToEnd(print, { stdoutLimitBytes: 100_000 })).stdout).toHaveLength(100_000)
    await expect(runToEnd(print, { stdoutLimitBytes: 99_999 })).rejects.toMatchObject({
      code: 'program_output_too_large',
      details: { program: 'head', limitBytes: 99_999 },
    })
  })

  it('has ended the process when it refuses its output', async () => {
    const cwd = temporaryDirectory()
    const flood = command(['sh', '-c', 'echo $$ >pid; yes; sleep 600'], { cwd })
    await expect(runToEnd(flood, { stdoutLimitBytes: 1000 })).rejects.toMatchObject({
      code: 'program_output_too_large',
    })
    expect(isRunning(Number(readFileSync(join(cwd, 'pid'))))).toBe(false)
  })

  it('gives what there was if the process is cancelled', async () => {
    const { exit, stdout } = await runToEnd(command([program('forever.sh')], { timeoutMs: 1000 }), {
      stdoutLimitBytes: 100,
    })
    expect(exit).toMatchObject({ ended: 'timeout' })
    expect(stdout.toString()).toBe(`${exit.pid}\n`)
    expect(isRunning(Number(exit.pid))).toBe(false)
  })
})
