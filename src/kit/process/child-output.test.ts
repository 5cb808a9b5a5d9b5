import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { command, isRunning, program } from '../../../test/support/test-command.ts'
import { OutputTail, relayOutput } from './child-output.ts'
import { startProcess } from './process.ts'

const MEBIBYTE = 1024 * 1024

describe('relayOutput', () => {
  it.skipIf(process.platform !== 'linux')('makes a process wait for a reader that does not read', async () => {
    const { pid, stdout, exit } = await startProcess(command(['yes']))
    const blockedAt = await onceSteady(() => bytesWritten(Number(pid)))
    expect(blockedAt).toBeGreaterThan(0)
    expect(blockedAt).toBeLessThan(4 * MEBIBYTE)
    expect(stdout.readableLength).toBeLessThan(MEBIBYTE)
    let read = 0
    for await (const chunk of stdout) {
      read += chunk.length
      if (read > 8 * MEBIBYTE) break
    }
    expect(await exit).toMatchObject({ ended: 'cancelled', forced: false })
  })

  it('loses nothing if this process stalls while output arrives', async () => {
    const child = spawn('sh', ['-c', 'sleep 0.1; echo late'], { stdio: ['ignore', 'pipe', 'ignore'] })
    const { output, finish } = relayOutput(child.stdout, () => {})
    // In this phase of the event loop timers come next, and pipes after them.
    await nextTurn()
    const finished = finish()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    await finished
    expect((await output.toArray()).join('')).toBe('late\n')
  })

  it('keeps the final output although nothing reads it', async () => {
    const controller = new AbortController()
    const cwd = temporaryDirectory()
    const verbose = command([program('says-much-on-sigterm.sh')], { cwd, signal: controller.signal })
    const { stdout, exit } = await startProcess(verbose)
    await expect.poll(() => existsSync(join(cwd, 'ready')), { timeout: 10_000 }).toBe(true)
    controller.abort()
    expect(await exit).toMatchObject({ code: 6, ended: 'cancelled', forced: false })
    expect(Buffer.concat(await stdout.toArray())).toHaveLength(MEBIBYTE)
  })

  it('stops reading from a survivor that writes without end', async () => {
    const { stdout, exit } = await startProcess(command([program('leaves-flood.sh')]))
    const { code, ended, stderrTail } = await exit
    expect({ code, ended }).toEqual({ code: 0, ended: 'itself' })
    expect(stdout.readableLength).toBeLessThan(9 * MEBIBYTE)
    // Its pipe is closed, so its next write ends it.
    await expect.poll(() => isRunning(Number(stderrTail)), { timeout: 10_000 }).toBe(false)
  })
})

function bytesWritten(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

/** The value once it has not changed for twenty checks in a row. */
async function onceSteady(look: () => number): Promise<number> {
  let value = look()
  for (let same = 0; same < 20; ) {
    await delay(10)
    const next = look()
    same = next === value ? same + 1 : 0
    value = next
  }
  return value
}

describe('OutputTail', () => {
  it.each([
    ['nothing', [], ''],
    ['less than the limit', ['abc'], 'abc'],
    ['just the limit', ['abc', 'de'], 'abcde'],
    ['one byte more', ['abc', 'def'], 'bcdef'],
    ['many times the limit', ['abc', 'def', 'ghi', 'jkl', 'mnopqrstuv'], 'rstuv'],
    ['a character cut in two', ['a😀bcd'], 'bcd'],
    ['a character that just fits', ['a😀b'], '😀b'],
    ['bytes that are not UTF-8', [Buffer.from([0x61, 0xff])], 'a\ufffd'],
    ['bytes that only continue characters', [Buffer.alloc(9, 0x80)], '\ufffd\ufffd'],
    ['bytes that continue nothing, uncut', [Buffer.alloc(2, 0x80)], '\ufffd\ufffd'],
  ])('keeps the last 5 bytes of %s', (_name, chunks, text) => {
    const tail = new OutputTail(5)
    for (const chunk of chunks) tail.add(Buffer.from(chunk))
    expect(tail.text()).toBe(text)
  })

  it('keeps nothing if nothing is allowed', () => {
    const tail = new OutputTail(0)
    tail.add(Buffer.from('abc'))
    expect(tail.text()).toBe('')
  })

  it('does not retain a chunk of which it needs only the end', () => {
    const tail = new OutputTail(5)
    const chunk = Buffer.from('abcdefghijk')
    tail.add(chunk)
    chunk.fill('x')
    expect(tail.text()).toBe('ghijk')
  })

  it('keeps the longest possible end of a text, however it is split into chunks', () => {
    const texts = fc.array(fc.constantFrom('a', 'é', '漢', '😀'), { maxLength: 8 }).map((parts) => parts.join(''))
    const chunkLists = fc.array(texts.map((text) => Buffer.from(text)))
    fc.assert(
      fc.property(chunkLists, fc.integer({ min: 0, max: 20 }), (chunks, limitBytes) => {
        const tail = new OutputTail(limitBytes)
        for (const chunk of chunks) tail.add(chunk)
        const characters = [...Buffer.concat(chunks).toString()]
        while (Buffer.byteLength(characters.join('')) > limitBytes) characters.shift()
        expect(tail.text()).toBe(characters.join(''))
      }),
    )
  })
})
