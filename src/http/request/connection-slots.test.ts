import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { ConnectionSlots, connectionLimits } from './connection-slots.ts'

const RESERVE = 32

function slotsOf(limits: { total: number; perAddress: number }) {
  const full: string[] = []
  const slots = new ConnectionSlots(limits, (over) => full.push(over))
  const open = (count: number, address?: string, isBusy = false) =>
    Array.from({ length: count }, () => {
      const socket = new Socket()
      slots.open(socket, address)
      if (isBusy) slots.setIdle(socket, false)
      return socket
    })
  const isOpen = (sockets: readonly Socket[]) => sockets.map(({ destroyed }) => !destroyed)
  const refused = (sockets: readonly Socket[]) => sockets.map((socket) => slots.refusal(socket)?.code)
  return { slots, full, open, isOpen, refused }
}

describe('a connection slot', () => {
  it('is taken from the connection that was idle the longest, never from one in use', () => {
    const { slots, open, isOpen, full } = slotsOf({ total: 3, perAddress: 9 })
    const [first, second, third] = open(3) as [Socket, Socket, Socket]
    slots.setIdle(first, false)
    slots.setIdle(second, false)
    slots.setIdle(second, true)
    expect(full).toEqual([])
    expect(isOpen([...open(1), first, second, third])).toEqual([true, true, true, false])
    expect(isOpen([...open(1), first, second, third])).toEqual([true, true, false, false])
    expect(full).toEqual(['total', 'total'])
  })

  it('of an address is taken from a connection of the same address', () => {
    const { open, isOpen, refused } = slotsOf({ total: 9, perAddress: 2 })
    const [others, own] = [open(2, '192.0.2.1'), open(2, '192.0.2.2')]
    open(1, '192.0.2.2')
    expect([isOpen(others), isOpen(own)]).toEqual([
      [true, true],
      [false, true],
    ])
    open(2, '192.0.2.3', true)
    expect(refused(open(1, '192.0.2.3'))).toEqual(['too_many_connections_of_address'])
    expect(refused(open(1, '192.0.2.4'))).toEqual([undefined])
  })

  it('is free again when its connection is closed, and no other one', async () => {
    const { open, refused } = slotsOf({ total: 2, perAddress: 1 })
    const [one] = open(1, '192.0.2.1', true) as [Socket]
    expect(refused(open(1, '192.0.2.1'))).toEqual(['too_many_connections_of_address'])
    await new Promise((resolve) => one.once('close', resolve).destroy())
    expect(refused(open(1, '192.0.2.1'))).toEqual([undefined])
    const two = slotsOf({ total: 9, perAddress: 2 })
    const [first] = two.open(2, '192.0.2.1', true) as [Socket]
    await new Promise((resolve) => first.once('close', resolve).destroy())
    expect(two.refused(two.open(2, '192.0.2.1', true))).toEqual([undefined, 'too_many_connections_of_address'])
  })

  it('is free once when its connection is closed for another one', async () => {
    const { slots, open, refused } = slotsOf({ total: 1, perAddress: 1 })
    const [idle] = open(1) as [Socket]
    const closed = new Promise((resolve) => idle.once('close', resolve))
    const [busy] = open(1) as [Socket]
    slots.setIdle(busy, false)
    await closed
    expect(refused(open(1))).toEqual(['too_many_connections'])
  })

  it('without an address is one of the server only', () => {
    const { open, refused } = slotsOf({ total: 3, perAddress: 1 })
    expect(refused(open(3, undefined, true))).toEqual([undefined, undefined, undefined])
  })

  it('of the reserve is taken from an idle connection there; beyond the reserve connections are closed', () => {
    const { slots, full, open, isOpen, refused } = slotsOf({ total: 1, perAddress: 1 })
    const busy = open(1, undefined, true)
    const reserved = open(RESERVE)
    expect(new Set(refused(reserved))).toEqual(new Set(['too_many_connections']))
    open(1)
    expect(isOpen(reserved)).toEqual([false, ...Array(RESERVE - 1).fill(true)])
    for (const socket of reserved) slots.setIdle(socket, false)
    const [last] = open(1)
    expect(last?.destroyed).toBe(false)
    slots.setIdle(last as Socket, false)
    expect(isOpen([...open(1), ...busy])).toEqual([false, true])
    expect(new Set(full)).toEqual(new Set(['total']))
  })

  it('of the server is used even if the reserve is full', async () => {
    const { open, isOpen, refused } = slotsOf({ total: 1, perAddress: 1 })
    const [busy] = open(1, undefined, true) as [Socket]
    open(RESERVE, undefined, true)
    await new Promise((resolve) => busy.once('close', resolve).destroy())
    const next = open(1)
    expect([isOpen(next), refused(next)]).toEqual([[true], [undefined]])
  })
})

describe('the limits of connections', () => {
  it.each([
    ['half of the files', 0, 0, 1024, { total: 512, perAddress: 256 }],
    ['at most 10,000', 0, 0, 1_048_576, { total: 10_000, perAddress: 5000 }],
    ['what is configured', 20_000, 3, 1_048_576, { total: 20_000, perAddress: 3 }],
    ['as many as there are files, less those for other purposes', 1000, 0, 1024, { total: 864, perAddress: 432 }],
    ['at least 16', 0, 0, 100, { total: 16, perAddress: 8 }],
    [
      'what is configured where the system has no limit',
      50_000,
      0,
      Number.POSITIVE_INFINITY,
      { total: 50_000, perAddress: 25_000 },
    ],
  ])('are %s', (_name, total, perAddress, files, expected) => {
    const server = { max_connections: total, max_connections_per_address: perAddress }
    expect(connectionLimits(server, files)).toEqual(expected)
  })
})
