import { toTimestamp } from '../../kit/clock.ts'
import { randomIds } from '../../kit/ids.ts'
import { toTestEvent } from '../../notify/notify-event.ts'
import { deliver } from '../../notify/tell-target.ts'
import type { RunCommand } from '../command.ts'
import { targetNotAccepting, targetNotFound } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { printResult } from '../output/print-result.ts'
import { formatTable, tableWidth } from '../output/text-table.ts'
import { readSettings } from '../settings.ts'

export const list: RunCommand = async (invocation) => {
  const { config } = await readSettings(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const counts = await (await drover.stores()).outbox.count()
  const targets = config.notify.targets.map(({ name, type, events = [], repositories = [], labels = [] }) => {
    const own = counts.filter((each) => targetOf(each) === name)
    const sum = (what: 'waiting' | 'failed') => own.reduce((total, each) => total + each[what], 0)
    const [waiting, failed] = [sum('waiting'), sum('failed')]
    return { name, type, events, repositories, labels, waiting, failed }
  })
  // What waits for a target that the settings do not have any more.
  const unknown = counts.filter((each) => each.waiting > 0 && !targets.some(({ name }) => name === targetOf(each)))
  return await printResult(invocation, { targets, unknown }, (out) => {
    if (targets.length === 0 && unknown.length === 0) return 'There are no targets. Add some to notify.targets.\n'
    const rows = [
      ...targets.map(({ name, type, events, waiting, failed }) => [
        name,
        type,
        events.join(' ') || 'all',
        waiting,
        failed,
      ]),
      ...unknown.map(({ target, waiting, failed }) => [target, 'not in the settings', '', waiting, failed]),
    ]
    const head = ['TARGET', 'TYPE', 'EVENTS', 'WAITING', 'GIVEN UP']
    return `${formatTable([head, ...rows.map((row) => row.map(String))], tableWidth(out)).join('\n')}\n`
  })
}

/** Each browser has its own name in the outbox, below that of the target. */
function targetOf({ target }: { target: string }): string {
  return target.split('/', 1)[0] ?? ''
}

export const test: RunCommand = async (invocation) => {
  const { runtime, args } = invocation
  const { config } = await readSettings(invocation)
  const [name = ''] = args
  const { targets } = config.notify
  const target = targets.find((each) => each.name === name)
  if (target === undefined) throw targetNotFound({ target: name, targets: targets.map((each) => each.name) })
  const at = toTimestamp(runtime.clock.now())
  const failed = await deliver(target, toTestEvent(`msg_${randomIds.hex(16)}`, at, config.server.public_url), runtime)
  if (failed !== undefined) throw targetNotAccepting({ target: name, problem: failed.problem })
  await runtime.terminal.out.write(`${name} accepted a notification.\n`)
  return 0
}
