/** A program that uses the library and ends while agents run; its argument says how. */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createDrover, type PromptEvent } from '../../src/library/drover.ts'

const [how] = process.argv.slice(2)
const EVENTS = ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP']
const listeners = () => EVENTS.map((name) => process.listenerCount(name))

if (how === 'handler') process.on('SIGTERM', () => void close())
const before = listeners()
const drover = createDrover()
// The tool runs in a separate session.
const prompt = JSON.stringify({ pid: true, hang: true, spawn: 'echo $$ >> tools; exec sleep 600' })
const runs = [1, 2].map(() => drover.prompt({ prompt, backend: 'claude', ephemeral: true }))
const agents = await Promise.all(runs.map(firstText))
while (toolCount() < agents.length) await delay(10)
const added = listeners().map((count, index) => count - (before[index] ?? 0))
process.stdout.write(`${JSON.stringify({ agents, added })}\n`)
if (how === 'exit') process.exit(7)
process.kill(process.pid, how === 'handler' ? 'SIGTERM' : how)

async function firstText(run: AsyncIterable<PromptEvent>): Promise<string> {
  const events = run[Symbol.asyncIterator]()
  for (let next = await events.next(); !next.done; next = await events.next()) {
    if (next.value.type === 'message') return next.value.content.text
  }
  throw new Error('the agent said nothing')
}

function toolCount(): number {
  return existsSync('tools') ? readFileSync('tools', 'utf8').split('\n').length - 1 : 0
}

async function close(): Promise<void> {
  await drover.close()
  process.exitCode = listeners().join() === before.join() ? 9 : 1
  process.removeAllListeners('SIGTERM')
}
