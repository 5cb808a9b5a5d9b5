import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { OutputStreams } from './output-streams.ts'

function setUp() {
  const exits: unknown[] = []
  // It is not read until the test does.
  const stdout = new PassThrough({ highWaterMark: 4 })
  const streams = new OutputStreams(
    { stdout, stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) },
    (exitCode) => exits.push(exitCode),
  )
  return { streams, stdout, exits }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open')
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  return (await Promise.race([promise, open])) !== open
}

describe('the output streams', () => {
  it('wait for their reader before they take more', async () => {
    const { streams, stdout } = setUp()
    const writing = streams.write('more than it holds')
    expect(await isSettled(writing)).toBe(false)
    stdout.resume()
    expect(await isSettled(writing)).toBe(true)
  })

  it('end the process only when the last output is flushed', async () => {
    const exits: unknown[] = []
    const pending: (() => void)[] = []
    const slow = () => new Writable({ write: (_chunk, _encoding, done) => void pending.push(done) })
    const streams = new OutputStreams({ stdout: slow(), stderr: slow() }, (exitCode) => exits.push(exitCode))
    const ending = streams.end({ output: 'bye', exitCode: 3 })
    expect(await isSettled(ending)).toBe(false)
    expect(exits).toEqual([])
    for (let done = pending.shift(); done !== undefined; done = pending.shift()) {
      done()
      await setImmediate()
    }
    await ending
    expect(exits).toEqual([3])
  })

  it('do not wait for a reader when they are interrupted and have nothing to write', async () => {
    const { streams, exits } = setUp()
    void streams.write('a lot to say')
    void streams.interrupt({ output: '', exitCode: 'SIGTERM' })
    expect(exits).toEqual(['SIGTERM'])
  })

  it('do not wait when they are interrupted again', async () => {
    const { streams, exits } = setUp()
    void streams.interrupt({ output: 'more than it holds', exitCode: 0 })
    expect(exits).toEqual([])
    void streams.interrupt({ output: 'more', exitCode: 143 })
    expect(exits).toEqual([143])
  })

  it('write only the last output after an interruption', async () => {
    const { streams, stdout } = setUp()
    stdout.setEncoding('utf8').resume()
    const received: string[] = []
    stdout.on('data', (text: string) => received.push(text))
    await streams.interrupt({ output: 'bye', exitCode: 0 })
    expect(await isSettled(streams.write('and another thing'))).toBe(false)
    expect(received.join('')).toBe('bye')
  })
})
