import { setImmediate as nextRound } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { AgentEvent } from '../adapter/agent.ts'
import { TurnQueue } from './turn-queue.ts'

const event = (stage: string): AgentEvent => ({ type: 'progress', content: { stage } })
const events = (count: number) => Array.from({ length: count }, (_, at) => event(String(at)))

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, nextRound(pending)])) === pending
}

async function readAll(queue: TurnQueue): Promise<AgentEvent[]> {
  const all: AgentEvent[] = []
  for await (const batch of queue.read()) all.push(...batch)
  return all
}

describe('TurnQueue', () => {
  it('passes on events in order until the end', async () => {
    const queue = new TurnQueue()
    const read = readAll(queue)
    await queue.push([event('a'), event('b')])
    await nextRound()
    await queue.push([event('c')])
    queue.end()
    expect(await read).toEqual([event('a'), event('b'), event('c')])
  })

  it('makes the writer wait when 256 events are unread, and not before', async () => {
    const queue = new TurnQueue()
    expect(await isPending(queue.push(events(255)))).toBe(false)
    const last = queue.push([event('last')])
    expect(await isPending(last)).toBe(true)
    const reader = queue.read()
    expect((await reader.next()).value).toHaveLength(256)
    await last
  })

  it.each(['hurry', 'end'] as const)('lets the writer continue after %s', async (method) => {
    const queue = new TurnQueue()
    const waiting = queue.push(events(300))
    expect(await isPending(waiting)).toBe(true)
    queue[method]()
    await waiting
    expect(await isPending(queue.push(events(300)))).toBe(false)
  })

  it('drops what comes after the end, and keeps what came before', async () => {
    const queue = new TurnQueue()
    await queue.push([event('a')])
    queue.end()
    await queue.push([event('b')])
    expect(await readAll(queue)).toEqual([event('a')])
  })
})
