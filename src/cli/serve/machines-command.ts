/** `machines list`, `machines drain` and `machines forget`, and `work --drain`. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Machine, MachineList } from '../../executions/store/machines.shape.ts'
import { USER } from '../../prompts/caller.ts'
import type { InProcessDrover } from '../../service/in-process.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { storeNotShared } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { formatAge } from '../output/format-amounts.ts'
import { printResult } from '../output/print-result.ts'
import { formatHeadedTable } from '../output/text-table.ts'
import { readSettings } from '../settings.ts'

const LOOK_MS = 500

export const list: RunCommand = async (invocation) =>
  await withMachines(invocation, async (drover) => {
    const known = await drover.machines.list(USER)
    const now = invocation.runtime.clock.now()
    return await printResult(invocation, known, (out) => {
      if (known.machines.length === 0) return `No worker has run yet. "drover work" starts one.\n${waitLines(known)}`
      return `${formatHeadedTable(machineRows(known.machines, now), out).join('\n')}\n${waitLines(known)}`
    })
  })

export const drain: RunCommand = async (invocation) =>
  await withMachines(invocation, async (drover) =>
    drainMachine(invocation, { drover, name: invocation.args[0] ?? '', waits: invocation.flags.isOn('wait') }),
  )

export const forget: RunCommand = async (invocation) =>
  await withMachines(invocation, async (drover) => {
    const forgotten = await drover.machines.forget(USER, invocation.args[0] ?? '')
    return await printResult(invocation, forgotten, () => `forgot ${forgotten.name}\n`)
  })

/** `work --drain`: the machine of this command. */
export const drainHere: RunCommand = async (invocation) =>
  await withMachines(invocation, async (drover) => {
    const name = (await drover.stores()).queue?.machine ?? ''
    return await drainMachine(invocation, { drover, name, waits: true })
  })

type Drain = { drover: InProcessDrover; name: string; waits: boolean }

async function drainMachine(invocation: Invocation, { drover, name, waits }: Drain): Promise<number> {
  let machine = await drover.machines.drain(USER, name)
  while (waits && machine.state === 'draining') {
    await sleep(LOOK_MS)
    // A worker that is started there ends the draining.
    machine = (await drover.machines.list(USER)).machines.find((each) => each.name === name) ?? machine
  }
  const { running, state } = machine
  const text = state === 'draining' ? `${name} drains; prompts that still run there: ${running}` : `${name} is ${state}`
  return await printResult(invocation, machine, () => `${text}\n`)
}

async function withMachines(
  invocation: Invocation,
  work: (drover: InProcessDrover) => Promise<number>,
): Promise<number> {
  const store = { key: 'store.url', flag: '--store', value: invocation.flags.text('store') } as const
  const { config } = await readSettings(invocation, [store])
  if (config.store.url === 'sqlite:') throw storeNotShared({ command: 'drover machines' })
  await using drover = openDrover(invocation, { config, isDemo: false })
  return await work(drover)
}

function waitLines({ waits_for_labels: waits }: MachineList): string {
  return waits.map(({ label, waiting }) => `${waiting} waiting for a machine with the label ${label}\n`).join('')
}

/** One table row per machine, after the headings. Pure. */
export function machineRows(machines: readonly Machine[], now: Date): string[][] {
  const rows = machines.map((machine) => [
    machine.name,
    machine.state,
    `${machine.running}/${machine.slots}`,
    String(machine.runs),
    machine.labels.join(', ') || '-',
    machine.backends.join(', ') || '-',
    formatAge(machine.seen_at, now),
  ])
  return [['MACHINE', 'STATE', 'PROMPTS', 'RUNS', 'LABELS', 'AGENTS', 'SEEN'], ...rows]
}
