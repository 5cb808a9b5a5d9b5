import { PassThrough, Writable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { onStdout } from './said.ts'
import { Stage } from './stage.ts'

function setUp() {
  const left: unknown[] = []
  // Nobody reads until the test does.
  const stdout = new PassThrough({ highWaterMark: 4 })
  const stage = new Stage({ stdout, stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) }, (exit) =>
    left.push(exit),
  )
  return { stage, stdout, left }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol('open')
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  return (await Promise.race([promise, open])) !== open
}

describe('a stage', () => {
  it('waits for its reader before it takes more words', async () => {
    const { stage, stdout } = setUp()
    const saying = stage.say(onStdout('more than it holds'))
    expect(await isSettled(saying)).toBe(false)
    stdout.resume()
    expect(await isSettled(saying)).toBe(true)
  })

  it('leaves only when the last words are out', async () => {
    const left: unknown[] = []
    const pending: (() => void)[] = []
    const slow = () => new Writable({ write: (_chunk, _encoding, done) => void pending.push(done) })
    const stage = new Stage({ stdout: slow(), stderr: slow() }, (exit) => left.push(exit))
    const ending = stage.end({ said: onStdout('bye'), exit: 3 })
    expect(await isSettled(ending)).toBe(false)
    expect(left).toEqual([])
    for (let done = pending.shift(); done !== undefined; done = pending.shift()) {
      done()
      await setImmediate()
    }
    await ending
    expect(left).toEqual([3])
  })

  it('waits for no reader when it is interrupted and has nothing to say', async () => {
    const { stage, left } = setUp()
    void stage.say(onStdout('a lot to say'))
    void stage.interrupt({ said: [], exit: 'SIGTERM' })
    expect(left).toEqual(['SIGTERM'])
  })

  it('waits no more when it is interrupted again', async () => {
    const { stage, left } = setUp()
    void stage.interrupt({ said: onStdout('more than it holds'), exit: 0 })
    expect(left).toEqual([])
    void stage.interrupt({ said: onStdout('more'), exit: 143 })
    expect(left).toEqual([143])
  })

  it('says nothing after an interruption but the last words', async () => {
    const { stage, stdout } = setUp()
    stdout.setEncoding('utf8').resume()
    const heard: string[] = []
    stdout.on('data', (text: string) => heard.push(text))
    await stage.interrupt({ said: onStdout('bye'), exit: 0 })
    expect(await isSettled(stage.say(onStdout('and another thing')))).toBe(false)
    expect(heard.join('')).toBe('bye')
  })
})
