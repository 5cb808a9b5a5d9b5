import { describe, expect, it } from 'vitest'
import { SILENT_LOG } from '../../kit/log.ts'
import { delayAfter, WrongKeys } from './wrong-keys.ts'

/** Counts without waiting: the delay is only noted. */
function guesser() {
  let now = 0
  const lines: object[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (fields: object) => void lines.push(fields), with: () => log }
  const wrongKeys = new WrongKeys({ log, nowMs: () => now, delays: { firstMs: 60_000, longestMs: 60_000 } })
  const gone = new AbortController()
  /** Whether a key of this address is accepted, or its answer comes at once, waits or is refused. */
  const guess = async (address: string, keyId?: string) => {
    const wrong = wrongKeys.check(address, keyId)
    if (wrong === undefined) return 'accepted'
    const answered = wrongKeys.wait(wrong, gone.signal).then(
      () => 'at once',
      () => 'refused',
    )
    return await Promise.race([answered, new Promise((resolve) => setImmediate(resolve, 'waits'))])
  }
  const guesses = async (count: number, address: string) => {
    const results: unknown[] = []
    for (let at = 0; at < count; at += 1) results.push(await guess(address))
    return results
  }
  return { guess, guesses, lines, gone, pass: (ms: number) => (now += ms) }
}

const times = (count: number, result: string) => Array<string>(count).fill(result)

describe('the delay of a wrong key', () => {
  it('doubles from the sixth on, from 0.1 to 5 seconds', () => {
    const delays = Array.from({ length: 13 }, (_, at) => delayAfter(at + 1))
    expect(delays).toEqual([0, 0, 0, 0, 0, 100, 200, 400, 800, 1600, 3200, 5000, 5000])
  })

  it('is counted with the clock of the machine', () => {
    const wrongKeys = new WrongKeys({ log: SILENT_LOG })
    const delays = Array.from({ length: 6 }, () => wrongKeys.check('192.0.2.1', undefined)?.delayMs)
    expect(delays).toEqual([0, 0, 0, 0, 0, 100])
  })

  it('is logged with the first key that waits', async () => {
    const { guesses, lines } = guesser()
    await guesses(5, '192.0.2.1')
    expect(lines).toEqual([])
    await guesses(2, '192.0.2.1')
    expect(lines).toEqual([{ client: '192.0.2.1' }])
  })

  it('is told to one that is refused, in whole seconds', async () => {
    const wrongKeys = new WrongKeys({ log: SILENT_LOG })
    const refused = wrongKeys.wait({ delayMs: 1001, isChecked: false }, new AbortController().signal)
    await expect(refused).rejects.toMatchObject({ code: 'too_many_wrong_keys', details: { retryAfterSecs: 2 } })
  })

  it('is that of an address, and of a whole /64 network of IPv6', async () => {
    const { guesses } = guesser()
    expect(await guesses(6, '192.0.2.1')).toEqual([...times(5, 'at once'), 'waits'])
    expect(await guesses(5, '192.0.2.2')).toEqual(times(5, 'at once'))
    expect(await guesses(5, '2001:db8::1')).toEqual(times(5, 'at once'))
    expect(await guesses(1, '2001:db8::ffff:1')).toEqual(['waits'])
    expect(await guesses(5, '2001:db8:0:1::1')).toEqual(times(5, 'at once'))
  })

  it('forgets one wrong key in ten seconds, and all in two minutes', async () => {
    const { guesses, pass } = guesser()
    await guesses(5, '192.0.2.1')
    pass(10_000)
    expect(await guesses(2, '192.0.2.1')).toEqual(['at once', 'waits'])
    await guesses(100, '192.0.2.1')
    pass(120_000)
    expect(await guesses(5, '192.0.2.1')).toEqual(times(5, 'at once'))
  })

  it('holds at most 8 requests of an address and 64 in all; others are refused at once', async () => {
    const { guesses, lines, gone, pass } = guesser()
    expect(await guesses(14, '192.0.2.1')).toEqual([...times(5, 'at once'), ...times(8, 'waits'), 'refused'])
    for (let at = 2; at <= 8; at += 1) {
      expect((await guesses(13, `192.0.2.${at}`)).at(-1)).toBe('waits')
    }
    expect((await guesses(6, '192.0.2.9')).at(-1)).toBe('refused')
    expect(lines).toEqual([{ client: '192.0.2.1' }])
    gone.abort()
    await new Promise(setImmediate)
    expect(await guesses(1, '192.0.2.1')).toEqual(['refused'])
    expect((await guesses(6, '192.0.2.10')).at(-1)).toBe('at once')
    pass(60_000)
    expect(await guesses(1, '192.0.2.1')).toEqual(['at once'])
  })

  it('is not that of a key that was not checked', async () => {
    const { guesses, pass } = guesser()
    await guesses(13, '192.0.2.1')
    pass(30_000)
    expect(await guesses(1, '192.0.2.1')).toEqual(['refused'])
    pass(30_000)
    expect(await guesses(9, '192.0.2.1')).toEqual([...times(8, 'waits'), 'refused'])
  })

  it('refuses valid keys too while 8 are not answered, except those that the address has sent before', async () => {
    const { guess, guesses, pass } = guesser()
    const all = async (address: string) => [await guess(address, 'ada'), await guess(address, 'eve')]
    expect(await all('192.0.2.1')).toEqual(times(2, 'accepted'))
    await guesses(13, '192.0.2.1')
    expect(await all('192.0.2.1')).toEqual(times(2, 'accepted'))
    expect(await guess('192.0.2.1', 'bob')).toBe('refused')
    expect(await guess('192.0.2.2', 'bob')).toBe('accepted')
    pass(60_000)
    expect(await guess('192.0.2.1', 'bob')).toBe('accepted')
  })

  it('forgets the address that was quiet the longest when there are more than 10,000', async () => {
    const { guesses } = guesser()
    await guesses(5, '198.51.100.1')
    for (let at = 0; at < 9999; at += 1) await guesses(1, `10.0.${at >> 8}.${at & 255}`)
    expect(await guesses(1, '198.51.100.1')).toEqual(['waits'])
    await guesses(1, '10.2.0.0')
    expect(await guesses(1, '198.51.100.1')).toEqual(['waits'])
    for (let at = 0; at < 10_000; at += 1) await guesses(1, `10.1.${at >> 8}.${at & 255}`)
    expect(await guesses(1, '198.51.100.1')).toEqual(['at once'])
  })
})
