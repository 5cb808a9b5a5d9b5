import { getEventListeners } from 'node:events'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { command, firstWords, isRunning, program } from '../../../test/support/test-command.ts'
import { readLines } from '../read-lines.ts'
import { runProcess, runProcessForEnds, startProcess } from './process.ts'
import { endAllProcesses, killAllProcesses } from './running-processes.ts'

const LIMIT = { stdoutLimitBytes: 1024 * 1024 }
const MEGABYTES_10 = 'x'.repeat(10 * 1024 * 1024)

describe('startProcess', () => {
  it('reports everything about a process that exits by itself', async () => {
    const { pid, exit } = await startProcess(command(['sh', '-c', 'echo trouble >&2; exit 3']))
    expect(await exit).toEqual({
      pid,
      code: 3,
      signal: null,
      durationMs: expect.any(Number),
      ended: 'itself',
      forced: false,
      stderrTail: 'trouble\n',
    })
  })

  it('reports the signal that killed a process as its own exit', async () => {
    const { exit } = await startProcess(command(['sh', '-c', 'kill -USR1 $$']))
    expect(await exit).toMatchObject({ code: null, signal: 'SIGUSR1', ended: 'itself' })
  })

  it('passes arguments unchanged, without a shell', async () => {
    const args = ['$HOME', '`id`', '; exit 9', 'two words', '*', '', 'é漢😀']
    const { stdout } = await runProcess(command(['printf', '%s\\n', ...args]), LIMIT)
    expect(stdout.toString()).toBe(args.map((arg) => `${arg}\n`).join(''))
  })

  it('passes exactly the given environment, and the id of its tree', async () => {
    const { stdout } = await runProcess(command(['/usr/bin/env'], { env: { A: '1', B: 'x=y' } }), LIMIT)
    expect(stdout.toString()).toMatch(/^A=1\nB=x=y\nDROVER_TREE=[0-9a-f]{16}\n$/)
  })

  it('gives the child more to read, from descriptor 3 on', async () => {
    const descriptors = [Buffer.from('three'), Buffer.from([0, 255, 10])]
    const { stdout } = await runProcess(
      command(['sh', '-c', 'cat <&3 <&4 | od -An -tx1; cat <&3'], { descriptors }),
      LIMIT,
    )
    expect(stdout.toString()).toBe(' 00 ff 0a\nthree')
  })

  it('is not disturbed by a child that does not read them', async () => {
    const { exit } = await runProcess(command(['true'], { descriptors: [Buffer.alloc(1024 * 1024)] }), LIMIT)
    expect(exit).toMatchObject({ code: 0, ended: 'itself' })
  })

  it('runs in the given directory', async () => {
    const cwd = realpathSync(temporaryDirectory())
    const { stdout } = await runProcess(command(['pwd', '-P'], { cwd }), LIMIT)
    expect(stdout.toString()).toBe(`${cwd}\n`)
  })

  it('starts nothing if it is cancelled beforehand', async () => {
    const file = join(temporaryDirectory(), 'started')
    const { pid, stdout, exit } = await startProcess(command(['touch', file], { signal: AbortSignal.abort() }))
    expect(pid).toBeNull()
    expect(await stdout.toArray()).toEqual([])
    expect(await exit).toEqual({
      pid: null,
      code: null,
      signal: null,
      durationMs: 0,
      ended: 'cancelled',
      forced: false,
      stderrTail: '',
    })
    expect(existsSync(file)).toBe(false)
  })

  it('notices a cancellation during the start', async () => {
    const controller = new AbortController()
    const starting = startProcess(command([program('forever.sh')], { signal: controller.signal }))
    controller.abort()
    const { exit } = await starting
    expect(await exit).toMatchObject({ signal: 'SIGTERM', ended: 'cancelled' })
  })

  it('removes its listener from the signal after the exit', async () => {
    const { signal } = new AbortController()
    const { exit } = await startProcess(command(['true'], { signal }))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await exit
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('leaves nothing that keeps drover from exiting', async () => {
    const { exit } = await startProcess(command([process.execPath, program('runs-true.ts')]))
    expect(await exit).toMatchObject({ code: 0, ended: 'itself', stderrTail: '' })
  })

  it('makes the process the leader of its own group', async () => {
    const { exit, stdout } = await runProcess(command(['sh', '-c', 'ps -o pgid= -p $$']), LIMIT)
    expect(Number(stdout)).toBe(exit.pid)
  })
})

describe('stdin', () => {
  it('is written and closed', async () => {
    const { stdout } = await runProcess(command(['cat'], { stdin: 'é漢😀\n' }), LIMIT)
    expect(stdout.toString()).toBe('é漢😀\n')
  })

  it('may be bytes', async () => {
    const { stdout } = await runProcess(command(['cat'], { stdin: Uint8Array.of(0, 255, 10) }), LIMIT)
    expect([...stdout]).toEqual([0, 255, 10])
  })

  it('may be an empty text', async () => {
    const { exit, stdout } = await runProcess(command(['cat'], { stdin: '' }), LIMIT)
    expect({ code: exit.code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: '' })
  })

  it('is empty if nothing is given', async () => {
    const { exit, stdout } = await runProcess(command(['sh', '-c', 'readlink /proc/self/fd/0; cat']), LIMIT)
    expect({ code: exit.code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: '/dev/null\n' })
  })

  it('may be left unread by a process that exits', async () => {
    const { exit } = await startProcess(command(['true'], { stdin: MEGABYTES_10 }))
    expect(await exit).toMatchObject({ code: 0, ended: 'itself' })
  })

  it('may be left unread by a process that runs until it is ended', async () => {
    const { exit } = await startProcess(command([program('forever.sh')], { stdin: MEGABYTES_10, timeoutMs: 100 }))
    expect(await exit).toMatchObject({ signal: 'SIGTERM', ended: 'timeout' })
  })

  it('may be closed by the process before it is written', async () => {
    const { exit } = await startProcess(command([program('closes-stdin.sh')], { stdin: MEGABYTES_10 }))
    expect(await exit).toMatchObject({ code: 4, ended: 'itself' })
  })
})

describe('an open stdin', () => {
  const open = (argv: Parameters<typeof command>[0], over: Parameters<typeof command>[1] = {}) =>
    startProcess(command(argv, { keepsStdinOpen: true, ...over }))

  it('takes text while the process runs, and is closed by the caller', async () => {
    const { stdin, stdout, exit } = await open(['cat'], { stdin: 'first\n' })
    const lines = stdout[Symbol.asyncIterator]()
    expect(String((await lines.next()).value)).toBe('first\n')
    await stdin?.write('é漢😀\n')
    expect(String((await lines.next()).value)).toBe('é漢😀\n')
    stdin?.end()
    expect((await lines.next()).done).toBe(true)
    expect(await exit).toMatchObject({ code: 0, ended: 'itself' })
  })

  it('takes text without an error after the process has closed it or exited', async () => {
    const { stdin, exit } = await open(['true'])
    await exit
    await stdin?.write(MEGABYTES_10)
    stdin?.end()
    await stdin?.write('more')
  })

  it('gives up text that the process does not read when the process is ended', async () => {
    const { stdin, exit } = await open([program('forever.sh')], { timeoutMs: 100 })
    await stdin?.write(MEGABYTES_10)
    expect(await exit).toMatchObject({ ended: 'timeout' })
  })

  it('is absent where stdin is closed at once', async () => {
    const { stdin, exit } = await startProcess(command(['true'], { stdin: 'x' }))
    expect(stdin).toBeNull()
    await exit
  })
})

describe.skipIf(process.platform !== 'linux')('members', () => {
  it('are the process and what it has started', async () => {
    const { pid, stdin, stdout, members, exit } = await startProcess(
      command(['sh', '-c', 'sleep 300 & echo $!; read line; kill $!'], { keepsStdinOpen: true }),
    )
    const tool = Number(await firstWords(stdout))
    expect((await members()).map((member) => member.pid).sort()).toEqual([Number(pid), tool].sort())
    await stdin?.write('end\n')
    await exit
    expect(await members()).toEqual([])
  })
})

describe('stdout', () => {
  it('carries a line of exactly the limit and skips one that is a byte longer', async () => {
    const limitBytes = 10 * 1024 * 1024
    const read = async (bytes: number) => {
      const lengths: number[] = []
      const oversize: number[] = []
      const { stdout } = await startProcess(command([program('long-line.sh'), String(bytes)]))
      for await (const lines of readLines(stdout, { limitBytes, onOversize: (size) => oversize.push(size) })) {
        lengths.push(...lines.map((line) => line.length))
      }
      return { lengths, oversize }
    }
    expect(await read(limitBytes)).toEqual({ lengths: [limitBytes, 5], oversize: [] })
    expect(await read(limitBytes + 1)).toEqual({ lengths: [5], oversize: [limitBytes + 1] })
  })

  it('may be closed long before the process exits', async () => {
    const { stdout, exit } = await startProcess(command([program('closes-stdout.sh')]))
    expect((await stdout.toArray()).join('')).toBe('last words\n')
    expect(await exit).toMatchObject({ code: 5, ended: 'itself' })
  })

  it('can still be read after the process exited', async () => {
    const { stdout, exit } = await startProcess(command(['head', '-c', '150000', '/dev/zero']))
    expect(await exit).toMatchObject({ code: 0, ended: 'itself' })
    expect(Buffer.concat(await stdout.toArray())).toHaveLength(150_000)
  })

  it('cancels the process if its reader stops', async () => {
    const { pid, stdout, exit } = await startProcess(command(['yes']))
    for await (const _lines of readLines(stdout, { limitBytes: 100, onOversize: () => {} })) break
    expect(await exit).toMatchObject({ ended: 'cancelled', forced: false })
    expect(isRunning(Number(pid))).toBe(false)
  })
})

describe('stderrTail', () => {
  it.each([
    ['all of it', 65_536, 65_536],
    ['the last 64 KiB of it', 65_537, 65_536],
  ])('is %s after %i bytes', async (_name, printed, kept) => {
    const { exit } = await startProcess(command(['sh', '-c', `head -c ${printed} /dev/zero | tr '\\0' x >&2`]))
    expect((await exit).stderrTail).toBe('x'.repeat(kept))
  })

  it('has the length that the caller allows', async () => {
    const { exit } = await startProcess(command(['sh', '-c', 'echo 123456789 >&2'], { stderrLimitBytes: 4 }))
    expect((await exit).stderrTail).toBe('789\n')
  })
})

describe('timeoutMs', () => {
  it('ends a process at its deadline', async () => {
    const { exit } = await startProcess(command([program('forever.sh')], { timeoutMs: 100 }))
    expect(await exit).toMatchObject({ code: null, signal: 'SIGTERM', ended: 'timeout', forced: false })
  })

  it.each([null, 2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY])(
    'leaves time enough if it is %s',
    async (timeoutMs) => {
      const { exit } = await startProcess(command(['sleep', '0.2'], { timeoutMs }))
      expect(await exit).toMatchObject({ code: 0, ended: 'itself' })
    },
  )

  it('is the reported reason if a cancellation comes later', async () => {
    const controller = new AbortController()
    const stubborn = command([program('ignores-sigterm.sh')], {
      timeoutMs: 1000,
      graceMs: 500,
      signal: controller.signal,
    })
    const { stdout, exit } = await startProcess(stubborn)
    stdout.on('data', (chunk) => String(chunk).includes('told') && controller.abort())
    expect(await exit).toMatchObject({ signal: 'SIGKILL', ended: 'timeout', forced: true })
    expect(controller.signal.aborted).toBe(true)
  })

  it('is not the reported reason if a cancellation came earlier', async () => {
    const controller = new AbortController()
    const stubborn = command([program('ignores-sigterm.sh')], {
      timeoutMs: 1000,
      graceMs: 1200,
      signal: controller.signal,
    })
    const { stdout, exit } = await startProcess(stubborn)
    await firstWords(stdout)
    controller.abort()
    const { ended, durationMs } = await exit
    expect(ended).toBe('cancelled')
    expect(durationMs).toBeGreaterThan(1000)
  })
})

describe('endAllProcesses', () => {
  it('ends every process, including one started meanwhile, and waits until they are gone', async () => {
    const stubborn = command([program('ignores-sigterm.sh')], { graceMs: 100 })
    const first = await Promise.all([startProcess(stubborn), startProcess(command([program('forever.sh')]))])
    await Promise.all(first.map(({ stdout }) => firstWords(stdout)))
    const ending = endAllProcesses()
    const late = await startProcess(command([program('forever.sh')]))
    await ending
    const all = [...first, late]
    expect(all.filter(({ pid }) => isRunning(Number(pid)))).toEqual([])
    expect((await Promise.all(all.map(({ exit }) => exit))).map(({ ended }) => ended)).toEqual(
      all.map(() => 'cancelled'),
    )
  })

  it('has nothing to do if nothing runs', async () => {
    const { exit } = await startProcess(command(['true']))
    await exit
    await endAllProcesses()
  })
})

describe('killAllProcesses', () => {
  it('kills a process that ignores SIGTERM without a grace period', async () => {
    const stubborn = await startProcess(command([program('ignores-sigterm.sh')], { graceMs: 60_000 }))
    await firstWords(stubborn.stdout)
    await killAllProcesses()
    expect(isRunning(Number(stubborn.pid))).toBe(false)
    expect(await stubborn.exit).toMatchObject({ signal: 'SIGKILL', ended: 'cancelled' })
  })
})

describe('runProcess', () => {
  it('returns the output as raw bytes, whatever the exit code', async () => {
    const { exit, stdout } = await runProcess(command(['sh', '-c', "printf 'a\\000\\377\\n'; exit 1"]), {
      stdoutLimitBytes: 4,
    })
    expect(exit).toMatchObject({ code: 1, ended: 'itself' })
    expect([...stdout]).toEqual([0x61, 0x00, 0xff, 0x0a])
  })

  it('keeps both ends of an output of any length', async () => {
    const print = command(['sh', '-c', 'printf 0123456789'])
    const ends = async (headBytes: number, tailBytes: number) =>
      (await runProcessForEnds(print, { headBytes, tailBytes })).stdout.toString()
    expect([await ends(3, 2), await ends(5, 5), await ends(12, 1), await ends(0, 4)]).toEqual([
      ...['01289', '0123456789', '0123456789', '6789'],
    ])
  })

  it('accepts output of exactly the limit and refuses one byte more', async () => {
    const print = command(['head', '-c', '100000', '/dev/zero'])
    expect((await runProcess(print, { stdoutLimitBytes: 100_000 })).stdout).toHaveLength(100_000)
    await expect(runProcess(print, { stdoutLimitBytes: 99_999 })).rejects.toMatchObject({
      code: 'program_output_too_large',
      details: { program: 'head', limitBytes: 99_999 },
    })
  })

  it('has ended the process when it refuses the output', async () => {
    const cwd = temporaryDirectory()
    const flood = command(['sh', '-c', 'echo $$ >pid; yes; sleep 600'], { cwd })
    await expect(runProcess(flood, { stdoutLimitBytes: 1000 })).rejects.toMatchObject({
      code: 'program_output_too_large',
    })
    expect(isRunning(Number(readFileSync(join(cwd, 'pid'))))).toBe(false)
  })

  it('returns the output so far if the process is ended', async () => {
    const { exit, stdout } = await runProcess(command([program('forever.sh')], { timeoutMs: 1000 }), {
      stdoutLimitBytes: 100,
    })
    expect(exit).toMatchObject({ ended: 'timeout' })
    expect(stdout.toString()).toBe(`${exit.pid}\n`)
    expect(isRunning(Number(exit.pid))).toBe(false)
  })
})
