import { existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { run, temporaryDirectory } from '../../test/support/run-drover.ts'
import { listen } from './listen.ts'

it('lets exactly one of several servers replace a stale socket, and leaves no other file behind', async () => {
  const directory = temporaryDirectory()
  const socket = join(directory, 'drover.sock')
  const dead = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 9))`
  await run([process.execPath, '-e', dead], {})
  expect(existsSync(socket)).toBe(true)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, async () => {
      const server = createServer()
      onTestFinished(() => void server.close())
      await listen(server, { socket })
    }),
  )
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  expect(refused).toHaveLength(7)
  for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 'listen_failed' } })
  expect(readdirSync(directory)).toEqual(['drover.sock'])
})
